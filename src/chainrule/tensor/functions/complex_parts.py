"""Complex numbers and their parts: conjugates, views as pairs of real numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd import refusal
from ...autograd.value import CONJ, NEG, bottom
from ..api import public
from .common import P

if TYPE_CHECKING:
    from ..annotations import Tensor


@public(method=False, out=False)
def real(input: Tensor) -> Tensor:
    """The real part, a view; of a real tensor the tensor itself."""
    if bottom(input)._lazy:
        return input.real
    return P.real(input) if input.is_complex() else input


@public(method=False, out=False)
def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor, a view."""
    if not input.is_complex():
        raise refusal.runtime(
            "imag is not implemented for tensors with non-complex dtypes.",
            f"this one is {input.dtype!r}",
        )
    return input.imag if bottom(input)._lazy else P.imag(input)


@public(out=False)
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, on the same memory; of a real tensor the tensor itself.

    It is computed when it is read. Transforms and compiled functions compute it at once.

    >>> import chainrule as torch
    >>> z = torch.tensor([1 + 2j, 3 - 1j])
    >>> c = z.conj()
    >>> c[0] = 5 + 6j
    >>> z[0].item(), c.is_conj()
    ((5-6j), True)
    """
    if not input.is_complex():
        return input
    from ..lazy_views import can_wait

    return P.conj_view(input) if can_wait(input) else P.conj(input)


@public(inplace=True)
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate in memory of its own."""
    return P.conj(input) if input.is_complex() else input


@public(out=False)
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or a copy if it is a conjugate that is still to be computed."""
    return P.clone(input) if bottom(input)._lazy & CONJ else input


@public(out=False)
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or a copy if it is a negative that is still to be computed."""
    return P.clone(input) if bottom(input)._lazy & NEG else input


@public(out=False)
def view_as_real(input: Tensor) -> Tensor:
    """A view of complex numbers with the two parts as a last dimension."""
    if not input.is_complex():
        raise refusal.runtime(
            f"view_as_real is only supported for complex tensors, got {input.dtype!r}"
        )
    if bottom(input)._lazy & CONJ:
        raise refusal.runtime(
            "view_as_real doesn't work on unresolved conjugated tensors. To resolve the conjugate "
            "tensor so you can view it as real, use self.resolve_conj(), which is a copy.",
            f"shape {list(input.shape)}",
        )
    return P.view_as_real(input)


@public(out=False, autocast="float32")
def view_as_complex(input: Tensor) -> Tensor:
    """A view of pairs along the last dimension as complex numbers."""
    if input.dtype.name not in ("float16", "float32", "float64"):
        raise refusal.runtime(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {input.dtype!r}"
        )
    if input.ndim == 0 or input.shape[-1] != 2:
        raise refusal.runtime(
            f"Tensor must have a last dimension of size 2, but its shape is {list(input.shape)}"
        )
    steps = input.stride()
    if steps[-1] != 1:
        raise refusal.runtime(
            f"Tensor must have a last dimension with stride 1, got {steps[-1]}",
            fix="call .contiguous() first.",
        )
    if any(s % 2 for s, n in zip(steps[:-1], input.shape, strict=False) if n > 1):
        raise refusal.runtime(
            "Tensor must have a stride divisible by 2 for all but last dimension, got "
            f"{list(steps)}",
            fix="call .contiguous() first.",
        )
    return P.view_as_complex(input)
