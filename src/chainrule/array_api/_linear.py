"""Linear algebra that is not part of the extension."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from ._types import array, is_kind, promoted


def matmul(x1: Any, x2: Any, /) -> Any:
    """The matrix product."""
    for x in (x1, x2):
        if array(x, "matmul").ndim == 0:
            raise refusal.value("matmul: 0-dim arrays are not allowed")
    return torch.matmul(*promoted("matmul", x1, x2))


def matrix_transpose(x: Any, /) -> Any:
    """The last two axes exchanged."""
    if array(x, "matrix_transpose").ndim < 2:
        raise refusal.value(
            f"x must be at least 2-dimensional for matrix_transpose, got shape {tuple(x.shape)}"
        )
    return torch.transpose(x, -2, -1)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """The sum of products over axes of two arrays."""
    x1, x2 = promoted("tensordot", array(x1, "tensordot"), array(x2, "tensordot"))
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"tensordot: axes must not be negative, got {axes}")
        dims: Any = axes
    else:
        first, second = (tuple(k) if not isinstance(k, int) else (k,) for k in axes)
        for one, other in zip(first, second, strict=False):
            if x1.shape[one] != x2.shape[other]:  # PyTorch would broadcast a length of 1
                raise refusal.value(
                    f"tensordot: axis {one} of shape {tuple(x1.shape)} and axis {other} of shape "
                    f"{tuple(x2.shape)} have different lengths"
                )
        dims = (first, second)
    return torch.tensordot(x1, x2, dims)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The sum of products of two arrays along an axis, the first one conjugated."""
    x1, x2 = promoted("vecdot", array(x1, "vecdot"), array(x2, "vecdot"))
    smallest = min(x1.ndim, x2.ndim)
    if not -smallest <= axis < 0 and not (0 <= axis < smallest and x1.ndim == x2.ndim):
        raise refusal.value(
            f"vecdot: axis {axis} is out of bounds for shapes {tuple(x1.shape)} and "
            f"{tuple(x2.shape)}; it is counted from the end"
        )
    if x1.shape[axis] != x2.shape[axis]:
        raise refusal.value(
            f"vecdot: the lengths along axis {axis} differ: {x1.shape[axis]} and {x2.shape[axis]}"
        )
    x1, x2 = torch.broadcast_tensors(torch.movedim(x1, axis, -1), torch.movedim(x2, axis, -1))
    if is_kind(x1.dtype, "complex floating"):
        x1 = x1.conj()
    return torch.matmul(x1.unsqueeze(-2), x2.unsqueeze(-1)).reshape(x1.shape[:-1])
