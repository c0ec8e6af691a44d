"""What is looked at before a step changes anything: it is taken whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, SupportsIndex

import numpy as np

import chainrule as cr

from ..autograd import refusal
from ..autograd.accidents import in_words
from ..autograd.inplace import check_writable, refuse_overlap
from ..autograd.lazy import memory
from ..autograd.state import STATE, TRACE
from ..ops import dtypes


def check_step(
    optimizer: Any,
    shaped: tuple[str, ...] | Callable[[Any], Mapping[str, tuple[int, ...]]] = (),
    sparse: bool = False,
    counters: tuple[str, ...] = (),
    whole: bool = True,
    one_type: bool = False,
) -> None:
    """Raise when a parameter that has a gradient, or its state, cannot be updated.

    `shaped` names the state that has the shape of its parameter, or gives all shapes by name;
    `counters` names the state that is one number. A state that has any has all of them if `whole`.
    With `one_type` shaped state has the type of the gradient.
    """
    with untraced() as plain:
        for group in optimizer.param_groups:
            options = {name: plain(group.get(name)) for name in optimizer.defaults}
            _check_options(optimizer, options)
            for p in group["params"]:
                if p._grad is None:
                    continue
                if p._grad.layout is not cr.strided and not (sparse and p._grad.is_sparse):
                    raise no_sparse_gradients(optimizer, p)
                _check_parameter(p, bool(options.get("differentiable")))
                shapes = shaped(p) if callable(shaped) else {name: p.shape for name in shaped}
                if one_type:
                    _check_types(optimizer, p, shapes)
                check_state(optimizer, p, shapes, counters, whole)


@contextmanager
def untraced() -> Iterator[Callable[[Any], Any]]:
    """No trace sees what is done inside; yields what reads a number that one may follow."""
    if not STATE.unusual & TRACE:
        yield lambda number: number
        return
    trace, STATE.trace = STATE.trace, None
    STATE.turn_off(TRACE)
    try:
        yield trace.value_of_number
    finally:
        STATE.trace = trace
        STATE.turn_on(TRACE)


# ---- options -------------------------------------------------------------------------------------


_COUNTS = ("max_iter", "max_eval", "history_size", "ns_steps")


def _check_options(optimizer: Any, options: dict[str, Any]) -> None:
    """The numbers among the options, which anybody may set, are still numbers."""
    for name, default in optimizer.defaults.items():
        given = options[name]
        if name in _COUNTS:
            right = isinstance(given, SupportsIndex) and not isinstance(given, cr.Tensor)
        elif name == "lr" or type(default) in (int, float):
            right = is_number(given)
        elif type(default) is bool:
            right = _is_truth(given)
        elif type(default) is tuple and default:
            several = given if isinstance(given, tuple | list) else ()
            right = len(several) == len(default) and all(
                x is None or is_number(v) for v, x in zip(several, default, strict=True)
            )
        else:
            continue
        if not right:
            raise refusal.wrong_type(
                f"the option {name!r} of {type(optimizer).__name__} is {in_words(given)}",
                "step",
                fix=f"set it to a value of the same kind as the default, {in_words(default)}.",
            )


def is_number(value: Any) -> bool:
    """Whether arithmetic can take it for a real number."""
    if value.__class__ is float:
        return True
    if isinstance(value, cr.Tensor):
        return value.numel() == 1 and not value.is_complex() and not value.is_meta
    if isinstance(value, str | bytes | bytearray | complex | None):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _is_truth(value: Any) -> bool:
    try:
        bool(value)
    except (TypeError, ValueError, RuntimeError):  # of several numbers
        return False
    return True


# ---- parameters and state ------------------------------------------------------------------------


def _check_parameter(p: Any, differentiable: bool) -> None:
    if p._level is not None or p._a.__class__ is not np.ndarray:
        return
    _check_memory(p)
    if differentiable:
        with cr.enable_grad():
            check_writable(p, "step", True)
    grad = p._grad
    if grad.is_meta:
        raise refusal.runtime(
            "Tensor on device meta is not on the expected device cpu! Expected all tensors to be "
            f"on the same device: the gradient of a parameter of shape {list(p.shape)} has no "
            "values",
            "step",
            fix="compute the gradient from data on the CPU, or p.grad = None.",
        )
    if grad.shape != p.shape or grad.is_complex() != p.is_complex():
        raise refusal.runtime(
            "The size of tensor a must match the size of tensor b: the gradient has shape "
            f"{list(grad.shape)} and type {grad.dtype!r}, its parameter {list(p.shape)} and "
            f"{p.dtype!r}",
            "step",
            fix="clear the gradient when you replace the data of a parameter: p.grad = None.",
        )


def _check_types(optimizer: Any, p: Any, shapes: Mapping[str, Any]) -> None:
    """State that is moved towards the gradient is of its type, which rounds."""
    state, wanted = optimizer.state.get(p), p._grad.dtype
    held = state if isinstance(state, dict) else {}
    found = [t.dtype for n in shapes if isinstance(t := held.get(n), cr.Tensor)]
    wrong = [t for t in found if t is not wanted]
    if wrong or not (wanted.is_floating_point or wanted.is_complex):
        raise refusal.runtime(
            f"expected state and gradient to have the same floating dtype: the gradient of a "
            f"parameter of type {p.dtype!r} has the type {wanted!r}"
            + (f", its state {wrong[0]!r}" if wrong else ""),
            f"{type(optimizer).__name__}.step",
            fix="make the optimizer anew after you change the type of parameters.",
        )


def check_state(
    optimizer: Any,
    p: Any,
    shapes: Mapping[str, tuple[int, ...]],
    counters: tuple[str, ...] = (),
    whole: bool = True,
) -> None:
    """Raise when the state of a parameter cannot be written, or is that of another one."""
    if p not in optimizer.state:
        return
    kind, state = type(optimizer).__name__, optimizer.state[p]
    if not isinstance(state, dict):
        raise refusal.runtime(
            f"the state of a parameter of {kind} is {in_words(state)}, not a dict of tensors",
            "step",
        )
    for name in counters if state else ():
        if not is_number(state.get(name)) or state[name] < 0:
            raise foreign_state(kind, name, state.get(name), p)
    for name, shape in shapes.items() if state else ():
        found = state.get(name)
        if not _fits(found, p, shape) and (whole or found is not None):
            raise foreign_state(kind, name, found, p)
    for value in state.values():
        if isinstance(value, cr.Tensor):
            _check_memory(value)


def _fits(found: Any, p: Any, shape: tuple[int, ...]) -> bool:
    return (
        isinstance(found, cr.Tensor)
        and tuple(found.shape) == tuple(shape)
        and found.is_meta == p.is_meta
        and found.layout is cr.strided
        and found.dtype not in dtypes.STORED
        and found.is_complex() == p.is_complex()
        and found.dtype.is_floating_point == p.dtype.is_floating_point
    )


def _check_memory(t: Any) -> None:
    if t._level is not None or t._a.__class__ is not np.ndarray:
        return
    check_writable(t, "step", False)
    place = memory(t)
    if (0 in place.strides and place.size > 1) or not place.flags.writeable:
        refuse_overlap(place)


@contextmanager
def counters_kept(optimizer: Any, groups: list[dict[str, Any]]) -> Iterator[None]:
    """When what is done inside fails, state that is one number, or new, is as it was before."""
    if STATE.unusual & TRACE:
        yield
        return
    kept = []
    for group in groups:
        for p in group["params"]:
            state = optimizer.state.get(p)
            numbers = [(t._a, t._a.copy()) for t in (state or {}).values() if _is_one(t)]
            kept.append((p, None if state is None else dict(state), numbers))
    try:
        yield
    except BaseException:
        for p, state, numbers in kept:
            if state is None:
                optimizer.state.pop(p, None)
                continue
            optimizer.state[p].clear()
            optimizer.state[p].update(state)
            for place, value in numbers:
                place[...] = value
        raise


def _is_one(t: Any) -> bool:
    return isinstance(t, cr.Tensor) and t._level is None and not t._a.ndim


def no_sparse_gradients(optimizer: Any, p: Any) -> RuntimeError:
    return refusal.runtime(
        f"{type(optimizer).__name__} does not support sparse gradients, please consider SparseAdam "
        "instead",
        f"the gradient has shape {list(p.shape)}",
    )


def foreign_state(optimizer: str, name: str, found: Any, p: Any) -> RuntimeError:
    """State of another parameter, of another model or out of a damaged file."""
    shape = getattr(found, "shape", None) if isinstance(found, cr.Tensor) else None
    what = in_words(found) if shape is None else f"a tensor of shape {list(shape)}"
    where = " on meta" if shape is not None and found.is_meta else ""
    kind = f" and type {found.dtype!r}" if shape is not None and shape == p.shape else ""
    return refusal.runtime(
        f"The size of tensor a must match the size of tensor b: {optimizer}'s state {name!r} is "
        f"{what}{kind}{where}, its parameter has shape {list(p.shape)} and type {p.dtype!r}",
        "step",
        why="Why: the state was loaded from another model, or its parameters have another order.",
        fix="load_state_dict() with the state of the same parameters in the same order.",
    )
