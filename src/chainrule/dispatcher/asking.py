"""Who is asked about an operator: the innermost mode, then the classes of the arguments.

Handlers run below autograd: nothing they do is recorded, and what they return gets its history when
they have returned. While a mode's handler runs the mode is off, and those around it are on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..autograd.state import DISPATCH, FUNCTION_MODE, STATE
from ..autograd.value import FACTORY, TensorBase
from ..tensor import overriding

KIND = "dispatch"  # of the level that tensors of asked classes belong to


# ---- modes ---------------------------------------------------------------------------------------


class _Bridge:
    """Stands below the modes of `__torch_function__` while a dispatch mode is on.

    Functions that make tensors are no ops; here the modes hear of them.
    """

    once = True

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from .creation import called

        return called(func, types, args, kwargs or {})


BRIDGE = _Bridge()


def push_mode(mode: Any) -> None:
    """Ask a mode about every operator, before those that are on already."""
    _load()
    if not STATE.dispatch_modes:
        overriding.begin()
        if BRIDGE not in STATE.function_modes:
            STATE.function_modes.insert(0, BRIDGE)
        STATE.turn_on(DISPATCH | FUNCTION_MODE)
    STATE.dispatch_modes.append(mode)


def pop_mode() -> Any:
    """Ask the innermost mode no more."""
    if not STATE.dispatch_modes:
        raise AssertionError("no TorchDispatchMode is active: there is none to pop")
    mode = STATE.dispatch_modes.pop()
    if not STATE.dispatch_modes:
        if BRIDGE in STATE.function_modes:
            STATE.function_modes.remove(BRIDGE)
        STATE.turn_off(DISPATCH if STATE.function_modes else DISPATCH | FUNCTION_MODE)
    return mode


def _load() -> None:
    from . import level  # noqa: F401 - installs itself


@contextmanager
def disabled() -> Iterator[None]:
    """A block in which neither modes nor classes are asked."""
    before = STATE.dispatching
    STATE.dispatching = False
    try:
        with without_modes(0):
            yield
    finally:
        STATE.dispatching = before


@contextmanager
def without_modes(kept: int) -> Iterator[None]:
    """A block in which only the outermost modes are on."""
    modes = STATE.dispatch_modes
    STATE.dispatch_modes = modes[:kept]
    if modes and not kept:
        STATE.turn_off(DISPATCH)
    try:
        yield
    finally:
        STATE.dispatch_modes = modes
        if modes:
            STATE.turn_on(DISPATCH)


@contextmanager
def below_autograd() -> Iterator[None]:
    """A block in which nothing is recorded, whatever handlers do."""
    enabled = STATE.grad_enabled
    STATE.set_grad_enabled(False)
    STATE.below_autograd += 1
    try:
        yield
    finally:
        STATE.below_autograd -= 1
        STATE.set_grad_enabled(enabled)


# ---- asking --------------------------------------------------------------------------------------


def is_asked(t: Any) -> bool:
    """Whether the class of a value is asked about ops on it."""
    return isinstance(t, TensorBase) and t._level is not None and t._level.kind == KIND


def tensors_in(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among arguments, and in lists and tuples of them."""
    for v in values:
        if isinstance(v, TensorBase):
            yield v
        elif isinstance(v, list | tuple):
            yield from tensors_in(v)


def asked_tensors(args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """One tensor of each class that is asked: from left to right, subclasses first."""
    if not STATE.dispatching:
        return []
    found = (t for t in tensors_in((*args, *kwargs.values())) if is_asked(t))
    return overriding.overriding_args(found)


def send(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of an operator: that of the first who does not return NotImplemented."""
    asked = asked_tensors(args, kwargs)
    types = tuple(type(t) for t in asked)
    with below_autograd():
        if STATE.dispatching and STATE.dispatch_modes:
            mode = STATE.dispatch_modes[-1]
            with without_modes(len(STATE.dispatch_modes) - 1):
                result = mode.__torch_dispatch__(func, types, args, kwargs)
            if result is not NotImplemented:
                return result
        for t in asked:
            result = type(t).__torch_dispatch__(func, types, args, kwargs)
            if result is not NotImplemented:
                return result
        if asked:
            raise _nobody(func, types)
        return func(*args, **kwargs)


def _nobody(func: Any, types: tuple[type, ...]) -> TypeError:
    kinds = ", ".join(t.__name__ for t in types)
    return overriding.NobodyHandles(
        f"Multiple dispatch failed for '{func}'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n  tensor subclass {kinds}\n  Fix: let one of these classes handle the "
        "operator, on the tensors that it wraps."
    )


def defines_dispatch(cls: type) -> bool:
    """Whether a class of tensors wants to be asked."""
    return getattr(cls, "__torch_dispatch__", None) not in (None, overriding.disabled_dispatch)


def dispatcher() -> Any:
    """The level, which is made when first asked for."""
    _load()
    return FACTORY.dispatcher
