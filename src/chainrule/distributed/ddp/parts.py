"""Parameters of a mesh (`distributed.tensor`) in DistributedDataParallel: the part that is here."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.value import make


def own(t: Any) -> Any:
    """The tensor whose memory this process has: the part of one that lies in a mesh."""
    return getattr(t, "_local_tensor", t)


def own_gradient(p: Any) -> Any:
    """A parameter's gradient, cut as the parameter is; None without one."""
    grad = p._grad
    if grad is None or not hasattr(p, "_local_tensor"):
        return grad
    if grad.placements != p.placements:
        grad = p._grad = grad.redistribute(placements=p.placements)
    return grad._local_tensor


def set_gradient(p: Any, array: np.ndarray) -> None:
    """Give a parameter a gradient whose memory is this array."""
    if not hasattr(p, "_local_tensor"):
        p._grad = make(array)
    else:
        p._grad = type(p)(make(array), p._spec)
