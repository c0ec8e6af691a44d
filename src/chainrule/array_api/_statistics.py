"""Statistical and utility functions."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from . import _types as types
from ._types import array, axes_of, axis_of


def _over(name: str, function: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """A reduction over several axes, over none too."""
    axes = axes_of(axis, array(x, name).ndim)
    return function(x, axes, bool(keepdims)) if axes else x.clone()


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """The sum, in a type that integers do not overflow as easily."""
    target = dtype or types.sum_type(array(x, "sum").dtype)
    x = types.as_type(x, target)
    return _over("sum", lambda a, d, k: torch.sum(a, d, k, dtype=target), x, axis, keepdims)


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """The product, in a type that integers do not overflow as easily."""
    target = dtype or types.sum_type(array(x, "prod").dtype)
    made = types.as_type(x, target)
    axes = axes_of(axis, x.ndim)
    for axis in axes:
        made = torch.prod(made, axis, True, dtype=target)
    made = made.clone() if made is x else made
    return made if keepdims or not axes else torch.squeeze(made, axes)


def max(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """The largest value."""
    return _over("max", torch.amax, x, axis, keepdims)


def min(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """The smallest value."""
    return _over("min", torch.amin, x, axis, keepdims)


def mean(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """The arithmetic mean."""
    return _over("mean", torch.mean, x, axis, keepdims)


def var(x: Any, /, *, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Any:
    """The variance; the sum of squares is divided by the number of values less the correction."""
    x = array(x, "var")
    axes = axes_of(axis, x.ndim)
    count = types.size_of([x.shape[k] for k in axes])
    centred = x - torch.mean(x, axes, True) if axes else x - x
    squares = (centred.conj() * centred).real if x.is_complex() else centred * centred
    total = torch.sum(squares, axes, bool(keepdims)) if axes else squares
    freedom = count - correction
    return total / (freedom if freedom > 0 else 0.0)


def std(x: Any, /, *, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Any:
    """The standard deviation: the root of the variance."""
    return torch.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> Any:
    """Sums of the values up to each place."""
    return _running("cumulative_sum", torch.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> Any:
    """Products of the values up to each place."""
    return _running("cumulative_prod", torch.cumprod, 1, x, axis, dtype, include_initial)


def _running(name: str, function: Any, start: int, x: Any, axis: Any, dtype: Any, initial: Any):
    x = array(x, name)
    if axis is None:
        if x.ndim != 1:
            raise refusal.value(f"{name}: axis must be given for an array of {x.ndim} dimensions")
        axis = 0
    axis, target = axis_of(axis, x.ndim), dtype or types.sum_type(x.dtype)
    made = function(types.as_type(x, target), axis, dtype=target)
    if not initial:
        return made
    shape = [1 if k == axis else n for k, n in enumerate(x.shape)]
    return torch.cat([torch.full(shape, start, dtype=target), made], axis)


# ---- utilities -----------------------------------------------------------------------------------


def all(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """Whether all values are true (not zero)."""
    return _truth("all", torch.all, x, axis, keepdims)


def any(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """Whether some value is true (not zero)."""
    return _truth("any", torch.any, x, axis, keepdims)


def _truth(name: str, function: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    made = array(x, name) != 0
    axes = axes_of(axis, made.ndim)
    for axis in axes:
        made = function(made, axis, True)
    return made if keepdims or not axes else torch.squeeze(made, axes)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along an axis, n times."""
    axis = axis_of(axis, array(x, "diff").ndim)
    if n < 0:
        raise refusal.value(f"diff: n must not be negative, got {n}")
    if n == 0:
        return x.clone()
    parts = [part for part in (prepend, x, append) if part is not None]
    target = types.result_type(*parts)
    made = torch.cat([types.as_type(part, target) for part in parts], axis)
    for _ in range(n):
        if made.shape[axis] == 0:
            break
        later = made.narrow(axis, 1, made.shape[axis] - 1)
        earlier = made.narrow(axis, 0, made.shape[axis] - 1)
        made = later ^ earlier if target == types.bool else later - earlier
    return made
