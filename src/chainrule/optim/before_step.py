"""What is looked at before a step changes anything: it is taken whole or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np

import chainrule as cr

from ..autograd import refusal
from ..autograd.inplace import check_writable, refuse_overlap
from ..autograd.lazy import memory
from ..autograd.state import STATE, TRACE


def check_step(optimizer: Any, shaped: tuple[str, ...] = (), sparse: bool = False) -> None:
    """Raise when a parameter that has a gradient, or its state, cannot be updated.

    `shaped` names the state that has the shape of its parameter.
    """
    if STATE.unusual & TRACE:
        return
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p._grad is None:
                continue
            if p._grad.is_sparse and not sparse:
                raise no_sparse_gradients(optimizer, p)
            _check_memory(p)
            check_state(optimizer, p, shaped)


def check_state(optimizer: Any, p: Any, shaped: tuple[str, ...]) -> None:
    """Raise when the state of a parameter cannot be written, or is that of another one."""
    state = optimizer.state.get(p) or {}
    for name in shaped:
        found = state.get(name)
        if found is not None and (
            getattr(found, "shape", None) != p.shape or found.is_meta != p.is_meta
        ):
            raise foreign_state(type(optimizer).__name__, name, found, p)
    for value in state.values():
        if isinstance(value, cr.Tensor):
            _check_memory(value)


def _check_memory(t: Any) -> None:
    if t._level is not None or t._a.__class__ is not np.ndarray:
        return
    check_writable(t, "step", False)
    place = memory(t)
    if (0 in place.strides and place.size > 1) or not place.flags.writeable:
        refuse_overlap(place)


def no_sparse_gradients(optimizer: Any, p: Any) -> RuntimeError:
    return refusal.runtime(
        f"{type(optimizer).__name__} does not support sparse gradients, please consider SparseAdam "
        "instead",
        f"the gradient has shape {list(p.shape)}",
    )


def foreign_state(optimizer: str, name: str, found: Any, p: Any) -> RuntimeError:
    """State of another parameter, of another model or out of a damaged file."""
    shape = getattr(found, "shape", None)
    what = f"a {type(found).__name__}" if shape is None else f"a tensor of shape {list(shape)}"
    where = " on meta" if shape is not None and found.is_meta else ""
    return refusal.runtime(
        f"The size of tensor a must match the size of tensor b: {optimizer}'s state {name!r} is "
        f"{what}{where}, its parameter has shape {list(p.shape)}",
        "step",
        why="Why: the state was loaded from another model, or its parameters have another order.",
        fix="load_state_dict() with the state of the same parameters in the same order.",
    )
