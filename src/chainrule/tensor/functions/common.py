"""What many functions need: axes, prims, checks."""

from __future__ import annotations

from typing import Any

from ...autograd import refusal
from ...autograd.dispatch import P
from ...autograd.value import TensorBase

__all__ = ["P", "TensorBase", "axes_of", "axis_of", "ints_of", "no_dimensions"]


def axis_of(dim: Any, ndim: int, name: str = "dim") -> int:
    """A possibly negative dimension as 0..ndim-1; a 0-dim tensor has dimension 0 and -1."""
    d = dim if dim.__class__ is int else _as_int(dim, name)
    n = ndim or 1
    if not -n <= d < n:
        raise refusal.index(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})",
            f"{name}={d} for a tensor of {ndim} dimensions",
        )
    return d + n if d < 0 else d


def _as_int(value: Any, name: str, function: str = "") -> int:
    """An int, or what counts as one (NumPy's, a tensor of one integer); nothing is rounded."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        got = type(value).__name__
        raise refusal.wrong_type(
            f"{function}argument '{name}' must be int, not {got}", f"It is {value!r:.60}"
        )
    return int(value.__index__())


def ints_of(value: Any, what: str, name: str) -> tuple[int, ...]:
    """An int or several as a tuple; nothing else, and nothing is rounded."""
    if value.__class__ is int:
        return (value,)
    several = isinstance(value, tuple | list) or (
        hasattr(value, "__len__") and not isinstance(value, str | bytes | bytearray | TensorBase)
    )
    values: Any = value if several else (value,)
    return tuple(v if v.__class__ is int else _as_int(v, what, f"{name}(): ") for v in values)


def no_dimensions(dim: Any, name: str) -> IndexError:
    """The error for a dimension of a tensor that has none, where PyTorch wants one."""
    return refusal.index(f"Dimension specified as {dim} but tensor has no dimensions", f"{name}")


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
        raise refusal.runtime(
            f"dim {axes[-1]} appears multiple times in the list of dims: {list(dim)}"
        )
    return tuple(sorted(axes)) if ndim else ()


def _check_zero_dim(dim: Any) -> tuple[int, ...]:
    axis_of(dim, 0)
    return ()
