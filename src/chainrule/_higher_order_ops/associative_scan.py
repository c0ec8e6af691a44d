"""All prefixes of a dimension, combined by an associative function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.trees import flatten, unflatten
from .scan import stacked


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int = 0,
    reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:
    """The prefixes of xs along `dim`, combined: y[k] = combine_fn(y[k - 1], x[k]).

    >>> import chainrule as torch
    >>> from chainrule._higher_order_ops import associative_scan
    >>> associative_scan(lambda a, b: a * b, torch.tensor([1.0, 2.0, 3.0, 4.0]), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
    leaves, structure = flatten(xs)
    order = range(leaves[0].shape[dim])
    found: list[Any] = []
    for k in reversed(order) if reverse else order:
        x = unflatten([leaf.select(dim, k) for leaf in leaves], structure)
        found.append(combine_fn(found[-1], x) if found else x)
    if reverse:
        found.reverse()
    return stacked(found, dim)
