"""What many functions need: axes, prims, checks."""

from __future__ import annotations

from typing import Any

from ...autograd import source
from ...autograd.dispatch import P
from ...autograd.value import TensorBase

__all__ = ["P", "TensorBase", "axes_of", "axis_of"]


def axis_of(dim: Any, ndim: int, name: str = "dim") -> int:
    """A possibly negative dimension as 0..ndim-1; a 0-dim tensor has dimension 0 and -1."""
    d = dim if dim.__class__ is int else _as_int(dim, name)
    n = ndim or 1
    if not -n <= d < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})\n"
            f"  {name}={d} for a tensor of {ndim} dimensions, at {source.here(3)}"
        )
    return d + n if d < 0 else d


def _as_int(value: Any, name: str) -> int:
    """An int, or what counts as one (NumPy's, a tensor of one integer); nothing is rounded."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        got = type(value).__name__
        raise TypeError(
            f"argument '{name}' must be int, not {got}\n  it is {value!r:.60}, at {source.here(4)}"
        )
    return int(value.__index__())


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """None (all), an int or a sequence of ints as a sorted tuple of axes."""
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, int) or isinstance(dim, str | TensorBase) or not hasattr(dim, "__len__"):
        return (axis_of(dim, ndim),) if ndim else _check_zero_dim(dim)
    if len(dim) == 0:
        return tuple(range(ndim))
    axes = [axis_of(d, ndim) for d in dim]
    if len(set(axes)) != len(axes):
        raise RuntimeError(
            f"dim {axes[-1]} appears multiple times in the list of dims: {list(dim)}\n"
            f"  at {source.here(3)}"
        )
    return tuple(sorted(axes)) if ndim else ()


def _check_zero_dim(dim: Any) -> tuple[int, ...]:
    axis_of(dim, 0)
    return ()
