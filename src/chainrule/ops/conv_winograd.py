"""Convolutions of 3x3 with stride 1 by fewer than nine products a result, where that is offered."""

from __future__ import annotations

import numpy as np

from .kernels import winograd_jobs


def _jobs_for(x, g):
    """What computes a convolution of x with this geometry; None where it is not for that."""
    suits = (
        g.kernel == (3, 3)
        and g.stride == g.dilation == (1, 1)
        and g.groups == 1
        and g.even
        and g.padding[0] == g.padding[1] <= 2
        and x.dtype.char == "f"
        and g.out == g.fitting()
        and g.worth_gathering(x)
    )
    return winograd_jobs() if suits else None


def fewer_products(x, w, b, g, out, flipped=False):
    """Fill out with the convolution of x and w, or (`flipped`) w turned around with its inputs and
    outputs exchanged; False where that is left to the plain product."""
    jobs = _jobs_for(x, g)
    if jobs is None:
        return False
    bias = None if b is None else np.ascontiguousarray(b)
    return jobs.forward(np.ascontiguousarray(x), w, bias, g.padding[0], out, flipped)


def fewer_products_gradient(x, gy, g):
    """The gradient of the kernels; None where that is left to the plain product."""
    jobs = _jobs_for(x, g)
    if jobs is None:
        return None
    image, gradient = np.ascontiguousarray(x), np.ascontiguousarray(gy)
    return jobs.weight_gradient(image, gradient, g.padding[0])
