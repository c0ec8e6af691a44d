"""A loop as a function call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import refusal
from ..autograd.trees import flatten
from ..tensor import Tensor


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any
) -> tuple[Any, ...]:
    """carried = body_fn(*carried) as long as cond_fn(*carried); what is carried at the end.

    >>> import chainrule as torch
    >>> from chainrule._higher_order_ops import while_loop
    >>> start = (torch.tensor(0), torch.tensor([1.0, 2.0]))
    >>> while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, 2 * x), start)
    (tensor(3), tensor([ 8., 16.]))
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise refusal.runtime("Expect cond_fn and body_fn to be callable.", "while_loop")
    if not isinstance(carried_inputs, tuple | list):
        raise refusal.runtime(
            "Expect carried_inputs to be a tuple of possibly nested dict/list/tuple, but got "
            f"{type(carried_inputs).__name__}",
            "while_loop",
        )
    carried = tuple(carried_inputs)
    while _truth(cond_fn(*carried)):
        made = body_fn(*carried)
        made = tuple(made) if isinstance(made, tuple | list) else (made,)
        check_carried(carried, made, "body_fn")
        carried = made
    return carried


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, Tensor) and value.numel() == 1:
        return bool(value)
    shown = f"a tensor of shape {list(value.shape)}" if isinstance(value, Tensor) else repr(value)
    raise refusal.runtime(
        f"cond_fn must return a boolean scalar tensor or a bool, but got {shown}", "while_loop"
    )


def check_carried(before: Any, after: Any, name: str) -> None:
    """What a step carries on must be like what it was given: structure, shapes and types."""
    old, structure = flatten(before)
    new, found = flatten(after)
    if structure != found:
        raise refusal.runtime(
            f"Expected carried_inputs and the result of {name} to have the same structure, but got "
            f"{len(old)} and {len(new)} values"
        )
    for k, (a, b) in enumerate(zip(old, new, strict=True)):
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            if tuple(a.shape) != tuple(b.shape) or a.dtype is not b.dtype:
                raise refusal.runtime(
                    f"{name} changes value {k} of what is carried from {a.dtype!r}{list(a.shape)} "
                    f"to {b.dtype!r}{list(b.shape)}"
                )
