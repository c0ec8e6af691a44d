"""The functions of the first slice: arithmetic with alpha, sums, means, softmax, products."""

from __future__ import annotations

from typing import Any

from ...autograd import source
from ...ops import dtypes
from ..api import expose_elementwise, public
from .common import P, axes_of, axis_of

_ALL = tuple(tuple(range(n)) for n in range(65))

for _name in ("mul", "neg", "exp", "log", "sqrt", "reciprocal", "sin", "cos", "tanh", "sigmoid",
              "eq", "ne", "lt", "le", "gt", "ge", "isnan"):  # fmt: skip
    expose_elementwise(_name, aliases={
        "mul": ("multiply",), "neg": ("negative",), "eq": (), "ne": ("not_equal",),
        "lt": ("less",), "le": ("less_equal",), "gt": ("greater",), "ge": ("greater_equal",),
        "sigmoid": ("special.expit", "nn.functional.sigmoid"), "tanh": ("nn.functional.tanh",),
    }.get(_name, ()), inplace=_name != "isnan")  # fmt: skip
expose_elementwise("relu", aliases=("nn.functional.relu",))
expose_elementwise("maximum")


@public(inplace=True, op="add")
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input + alpha * other.

    >>> import chainrule as torch
    >>> torch.add(torch.tensor([1., 2.]), 10)
    tensor([11., 12.])
    """
    return P.add(input, other) if alpha == 1 else P.add(input, P.mul(other, alpha))


@public(inplace=True, aliases=("subtract",), op="sub")
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other."""
    return P.sub(input, other) if alpha == 1 else P.sub(input, P.mul(other, alpha))


@public(aliases=(), out=True)
def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:  # noqa: A001
    """The sum over `dim` (all dimensions by default)."""
    if dtype is not None:
        input = input.to(dtype)
    elif input._a.dtype.kind in "biu" if input._level is None else input.dtype.category < 2:
        input = input.to(dtypes.int64)
    if dim is None:
        return P.reduce_sum(input, axis=_ALL[input.ndim], keepdims=keepdim)
    return P.reduce_sum(input, axis=axes_of(dim, input.ndim), keepdims=keepdim)


@public()
def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean over `dim` (all dimensions by default)."""
    if dtype is not None:
        input = input.to(dtype)
    elif input.dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {input.dtype!r}\n  at {source.here(2)}\n"
            "  Fix: x.float().mean()."
        )
    return P.reduce_mean(input, axis=axes_of(dim, input.ndim), keepdims=keepdim)


@public(aliases=("linalg.matmul",))
def matmul(input: Any, other: Any) -> Any:
    """The matrix product: vectors, matrices, or batches of matrices that broadcast."""
    a, b = input.ndim, other.ndim
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {input.dtype!r} != "
            f"{other.dtype!r}\n  at {source.here(2)}\n  Fix: convert one with .to(dtype)."
        )
    if a >= 2 and b >= 2:
        return P.matmul(input, other)
    if a == 0 or b == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D\n"
            f"  at {source.here(2)}"
        )
    left = input.unsqueeze(0) if a == 1 else input
    right = other.unsqueeze(1) if b == 1 else other
    out = P.matmul(left, right)
    if b == 1:
        out = out.squeeze(-1)
    return out.squeeze(-1 if b == 1 else -2) if a == 1 else out


@public(namespace="nn.functional", aliases=(".log_softmax", "special.log_softmax"), method=True)
def log_softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """log(softmax(input)) along `dim`."""
    x = input if dtype is None else input.to(dtype)
    return P.log_softmax(x, axis=axis_of(_default_dim(dim, x), x.ndim))


@public(namespace="nn.functional", aliases=(".softmax", "special.softmax"), method=True)
def softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """exp(input), normalised to sum to one along `dim`."""
    x = input if dtype is None else input.to(dtype)
    return P.softmax(x, axis=axis_of(_default_dim(dim, x), x.ndim))


def _default_dim(dim: Any, x: Any) -> int:
    return dim if dim is not None else (0 if x.ndim in (0, 1, 3) else 1)
