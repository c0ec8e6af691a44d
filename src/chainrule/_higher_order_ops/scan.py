"""A loop over a dimension that carries something on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import refusal
from ..autograd.trees import flatten, unflatten
from ..tensor import API
from .while_loop import check_carried


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any,
    *,
    dim: int = 0,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """(carry, y) = combine_fn(carry, x) for each x along `dim`: the last carry, and all y stacked.

    >>> import chainrule as torch
    >>> from chainrule._higher_order_ops import scan
    >>> scan(lambda total, x: (total + x, total + x), torch.tensor(0.0), torch.arange(4.0))
    (tensor(6.), tensor([0., 1., 3., 6.]))
    """
    leaves, structure = flatten(xs)
    if not leaves:
        raise refusal.runtime("scan() expects xs to hold tensors")
    count = leaves[0].shape[dim]
    if any(leaf.shape[dim] != count for leaf in leaves):
        raise refusal.runtime(
            f"scan() expects one length along dim {dim} of all xs, got "
            f"{[leaf.shape[dim] for leaf in leaves]}"
        )
    carry, found = init, []
    for k in reversed(range(count)) if reverse else range(count):
        made, y = combine_fn(carry, unflatten([x.select(dim, k) for x in leaves], structure))
        check_carried(carry, made, "combine_fn")
        carry = made
        found.append(y)
    if reverse:
        found.reverse()
    return carry, stacked(found, 0)


def stacked(values: list[Any], dim: int) -> Any:
    """Trees of tensors as one tree, each tensor along a new dimension."""
    parts = [flatten(value) for value in values]
    columns = zip(*(leaves for leaves, _ in parts), strict=True)
    stack = API["stack"].function
    return unflatten([stack(list(column), dim) for column in columns], parts[0][1])
