"""Gradients of embeddings that say which rows were used (`sparse=True`)."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd.accidents import explain_module


def track_rows(rows: Any, weight: Any, used: Any) -> Any:
    """`rows` of an embedding, whose backward makes `weight.grad` a gradient of the used rows.

    The gradient is added up densely and then marked with its rows: the numbers and what
    `SparseAdam` does with them are PyTorch's, the memory is that of a dense gradient.
    """
    if not (rows.requires_grad and weight.is_leaf):
        return rows
    if "_rows_used" not in weight.__dict__:
        weight.__dict__["_rows_used"] = []
        weight.register_post_accumulate_grad_hook(_mark_rows)
    places = used.detach().reshape(-1)
    rows.register_hook(lambda grad: _note_rows(weight, places))
    return rows


def _note_rows(weight: Any, places: Any) -> None:
    """Rows get a gradient; what is added to a dense one makes a dense one."""
    from ..optim.row_gradient import RowGradient

    if weight.grad is None or isinstance(weight.grad, RowGradient):
        weight.__dict__["_rows_used"].append(places)


def _mark_rows(weight: Any) -> None:
    from ..optim.row_gradient import RowGradient

    pending = weight.__dict__["_rows_used"]
    grad = weight.grad
    if not pending or grad is None:
        return
    if isinstance(grad, RowGradient):
        pending.append(grad._indices()[0])
    weight.grad = RowGradient.of(grad, torch.cat(pending))
    pending.clear()


explain_module(globals())
