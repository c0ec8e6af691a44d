"""Discrete Fourier transforms.

Three ops carry all of them: complex to complex, real to (half) complex, half complex to real. The
halved axis is the last of `axes`. `norm` says what the sum is divided by: nothing ("none"), the
root of the number of points ("ortho") or that number ("full"). The transpose of a transform is
one with the opposite direction and the same norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .batching import Front
from .layout import in_order
from .schema import op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

# NumPy names a norm by the direction that is divided.
_FORWARD: dict[str, Any] = {"none": "backward", "ortho": "ortho", "full": "forward"}
_INVERSE: dict[str, Any] = {"none": "forward", "ortho": "ortho", "full": "backward"}


def transform(x, axes, inverse, norm):
    """The complex transform of x over some axes."""
    if len(axes) == 1:  # NumPy's n-dimensional functions cost twice as much to call
        if inverse:
            return in_order(np.fft.ifft(x, None, axes[0], _INVERSE[norm]))
        return in_order(np.fft.fft(x, None, axes[0], _FORWARD[norm]))
    if inverse:
        return in_order(np.fft.ifftn(x, axes=axes, norm=_INVERSE[norm]))
    return in_order(np.fft.fftn(x, axes=axes, norm=_FORWARD[norm]))


@op(
    vjp={"x": lambda g, axes, inverse, norm: fft_c2c(g, axes=axes, inverse=not inverse, norm=norm)},
    linear_in=("x",),
    batch=Front(axes=("axes",)),
    node="FftC2CBackward0",
)
def fft_c2c(x, *, axes, inverse, norm):
    """The Fourier transform of complex values over `axes`."""
    return transform(x, axes, inverse, norm)


@op(
    vjp={
        "x": lambda g, axes, inverse, norm: real(
            fft_c2c(g, axes=axes, inverse=not inverse, norm=norm)
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axes",)),
    node="FftR2CBackward0",
)
def fft_whole(x, *, axes, inverse, norm):
    """The Fourier transform of real values over `axes`, both halves of it."""
    return transform(x, axes, inverse, norm)


@op(
    vjp={
        "x": lambda g, x_shape, axes, norm: fft_c2r(
            weigh_inner(g, axis=axes[-1], length=x_shape[axes[-1]], factor=0.5),
            axes=axes,
            length=x_shape[axes[-1]],
            norm=norm,
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axes",)),
    node="FftR2CBackward0",
)
def fft_r2c(x, *, axes, norm):
    """The non-redundant half of the Fourier transform of real values over `axes`."""
    if len(axes) == 1:
        return in_order(np.fft.rfft(x, None, axes[0], _FORWARD[norm]))
    return in_order(np.fft.rfftn(x, axes=axes, norm=_FORWARD[norm]))


@op(
    vjp={
        "x": lambda g, axes, length, norm: weigh_inner(
            fft_r2c(g, axes=axes, norm=norm), axis=axes[-1], length=length, factor=2.0
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axes",)),
    node="FftC2RBackward0",
)
def fft_c2r(x, *, axes, length, norm):
    """The real values of which x is half the Fourier transform; `length` of them along the last."""
    if len(axes) == 1:
        return in_order(np.fft.irfft(x, length, axes[0], _INVERSE[norm]))
    sizes = (*(x.shape[a] for a in axes[:-1]), length)
    return in_order(np.fft.irfftn(x, s=sizes, axes=axes, norm=_INVERSE[norm]))


@op(
    vjp={
        "x": lambda g, axis, length, factor: weigh_inner(
            g, axis=axis, length=length, factor=factor
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axis",)),
)  # fmt: skip
def weigh_inner(x, *, axis, length, factor):
    """Half a transform with those values scaled that stand for two of the whole."""
    out = x.copy()
    out[(*(slice(None),) * axis, slice(1, (length + 1) // 2))] *= x.real.dtype.type(factor)
    return out
