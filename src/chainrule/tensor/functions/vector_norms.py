"""Norms over dimensions, and what is made of them: `norm`, `dist`, `renorm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops import dtypes
from ..api import public
from ..outputs import write_out
from ..refused_types import refuse
from .common import P, axes_of, axis_of
from .reductions import as_type, is_integral

if TYPE_CHECKING:
    from ..annotations import DType, Ints, Tensor


@public(out=False)
def norm(
    input: Tensor, p: float | str = "fro", dim: Ints | None = None, keepdim: bool = False,
    out: Tensor | None = None, dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The p-norm over `dim` (of all elements by default); "nuc" is the nuclear norm of matrices."""
    if isinstance(out, dtypes.dtype):  # the method has no out
        out, dtype = None, out
    result = _norm(input, p, dim, keepdim, dtype)
    return result if out is None else write_out("norm", result, out, (input,))


def _norm(input: Any, p: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if is_integral(input):
        raise refusal.runtime(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{input.dtype!r}",
            "norm",
            fix="x.float().norm().",
        )
    if dtype is not None:
        check_norm_type(input, dtype, "linalg.vector_norm")
        input = as_type(input, dtype)
    if p == "nuc":
        from ..api import API

        dims = (-2, -1) if dim is None else dim
        return API["linalg.matrix_norm"].function(input, "nuc", dims, keepdim)
    order = 2.0 if p is None or p == "fro" else float(p)
    return vector_norm_of(input, order, dim, keepdim)


def check_norm_type(x: Any, dtype: Any, name: str) -> None:
    """Raise when a norm is asked for in a type that cannot hold the numbers, or is no real one."""
    if dtype.category < dtypes.FLOAT:
        raise refusal.runtime(
            f"{name}: dtype should be floating point or complex. Got {dtype!r}",
        )
    if dtype.is_complex is not x.dtype.is_complex:
        kind = "complex" if x.dtype.is_complex else "real"
        raise refusal.runtime(
            f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype!r}"
        )
    if dtypes.promote_types(x.dtype, dtype) is not dtype:
        raise refusal.runtime(
            f"{name}: the dtype of the input ({x.dtype!r}) should be convertible without narrowing "
            f"to the specified dtype ({dtype!r})",
            fix="convert the norm: it is computed in the input's type.",
        )


def vector_norm_of(input: Any, order: float, dim: Any, keepdim: bool) -> Any:
    """The vector norm over `dim`, several dimensions counting as one."""
    axes = axes_of(dim, input.ndim)
    if order in (float("inf"), float("-inf")) or order < 0:
        for d in axes:
            if input.shape[d] == 0:
                raise refusal.runtime(
                    f"linalg.vector_norm cannot compute the {order} norm on an empty tensor "
                    f"because the operation does not have an identity: dimension {d} of "
                    f"{list(input.shape)} is empty"
                )
    return P.reduce_norm(input, axis=axes, keepdims=keepdim, order=order)


@public()
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of input - other."""
    difference = P.sub(input, other)
    if difference.dtype.category < dtypes.FLOAT:
        refuse("dist", difference)
    return vector_norm_of(difference, float(p), None, False)


@public(inplace=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Each slice along `dim` scaled down so that its p-norm is at most maxnorm."""
    if input.ndim < 2:
        raise RuntimeError(
            f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions\n"
            "  Fix: scale a vector by its norm yourself, or give it a second dimension."
        )
    for name, value, wrong in (("p", p, not p > 0), ("maxnorm", maxnorm, not maxnorm >= 0)):
        if wrong:
            raise refusal.runtime(
                f"renorm: expected {name} to be {'>= 0' if name == 'maxnorm' else 'positive'} but "
                f"got {value}"
            )
    axis = axis_of(dim, input.ndim)
    axes = tuple(d for d in range(input.ndim) if d != axis)
    size = P.reduce_norm(input, axis=axes, keepdims=True, order=float(p))
    # The small constant is PyTorch's guard against a norm that rounds above its limit again.
    factor = P.where(P.gt(size, maxnorm), maxnorm / (size + 1e-7), 1.0)
    return (input * as_type(factor, input.dtype)).contiguous()
