"""Sums, extremes and softmax of nested tensors."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from .handlers import handles
from .shapes import axis_of
from .tensor import NestedTensor, from_components

_NO_DIM = object()


@handles("sum", "mean", "prod", "amax", "amin", "max", "min", "any", "all", "argmax", "argmin")
def reduced(
    func: Any, nt: NestedTensor, dim: Any = _NO_DIM, keepdim: bool = False, **options: Any
) -> Any:
    """Over all elements, over dimensions of the components, or over the ragged one."""
    if dim is _NO_DIM or dim is None or (isinstance(dim, list | tuple) and not dim):
        return func(_without_holes(nt)._values, **options)
    axes = sorted({axis_of(nt, d) for d in (dim if isinstance(dim, list | tuple) else (dim,))})
    ragged = nt._ragged_idx
    if axes == [ragged]:
        return _over_ragged(func, nt, keepdim, options)
    _check_axes(nt, axes, func.__name__)
    inside: Any = [a - 1 for a in axes if a]
    if not isinstance(dim, list | tuple):
        inside = inside[0]
    if 0 in axes:
        found = func(_without_holes(nt)._values, inside, keepdim=keepdim, **options)
        return found.unsqueeze(0) if keepdim else found
    found = func(nt._values, inside, keepdim=keepdim, **options)
    where = ragged if keepdim else ragged - sum(a < ragged for a in axes)
    return _each(found, lambda part: nt._like(part, where))


def _check_axes(nt: NestedTensor, axes: list[int], name: str) -> None:
    ragged = nt._ragged_idx
    if (0 in axes) == (ragged in axes):
        return
    which = (
        "the batch dimension but not the ragged dimension"
        if 0 in axes
        else "a ragged and non-batch dimension"
    )
    raise refusal.runtime(
        f"{name}(): reducing along {which} is not supported for nested tensors",
        f"dimensions {axes} of {tuple(nt.shape)}",
        fix="reduce one after the other.",
    )


def _over_ragged(func: Any, nt: NestedTensor, keepdim: bool, options: dict[str, Any]) -> Any:
    """One dense row for each component."""
    axis = nt._ragged_idx - 1
    rows = [func(part, axis, keepdim=keepdim, **options) for part in nt._components()]
    if isinstance(rows[0], torch.Tensor):
        return torch.stack(rows)
    return type(rows[0])(map(torch.stack, zip(*rows, strict=True)))


def _each(found: Any, wrap: Any) -> Any:
    """A result, or (values, indices)."""
    return wrap(found) if isinstance(found, torch.Tensor) else type(found)(map(wrap, found))


def _without_holes(nt: NestedTensor) -> NestedTensor:
    return nt if nt._lengths is None else nt.contiguous()  # pyright: ignore[reportReturnType]


@handles("softmax", "log_softmax", "softmin")
def softmax(
    func: Any, nt: NestedTensor, dim: Any = None, *args: Any, **options: Any
) -> NestedTensor:
    """Over a dimension of the components or the ragged one."""
    if dim is None:
        raise refusal.runtime(f"{func.__name__}(): dim is needed for nested tensors")
    axis = axis_of(nt, dim)
    if axis == 0:
        raise refusal.runtime(
            f"{func.__name__}(): not supported when reducing across the batch dimension for "
            "NestedTensor",
            f"shape {tuple(nt.shape)}",
        )
    if axis != nt._ragged_idx:
        return nt._like(func(nt._values, axis - 1, *args, **options))
    parts = [func(part, axis - 1, *args, **options) for part in nt._components()]
    return from_components(parts, nt)
