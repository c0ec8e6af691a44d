"""Hooks on what the tape saves: pack when saving, unpack when a rule needs the value."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from .record import _UNCHANGED
from .running_rules import Fix, fix_of
from .state import SAVED_HOOKS, STATE
from .value import TensorBase, make


class saved_tensors_hooks:
    """Inside the block, every saved tensor goes through pack_hook, and back through unpack_hook."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if STATE.saved_hooks_disabled is not None:
            raise RuntimeError(STATE.saved_hooks_disabled)
        STATE.saved_hooks.append(self.hooks)
        STATE.turn_on(SAVED_HOOKS)

    def __exit__(self, *exc: object) -> None:
        if STATE.saved_hooks:
            STATE.saved_hooks.pop()
        if not STATE.saved_hooks:
            STATE.turn_off(SAVED_HOOKS)


class save_on_cpu(saved_tensors_hooks):
    """Accepted for compatibility: everything is on the CPU; saved tensors are copied."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t.detach().clone(), lambda t: t)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Generator[None, None, None]:
    """Inside the block, entering saved_tensors_hooks raises with this message."""
    previous = STATE.saved_hooks_disabled
    if STATE.saved_hooks:
        raise RuntimeError(error_message)
    STATE.saved_hooks_disabled = error_message
    try:
        yield
    finally:
        STATE.saved_hooks_disabled = previous


class _Packed:
    __slots__ = ("unpack", "value")

    def __init__(self, value: Any, unpack: Any) -> None:
        self.value = value
        self.unpack = unpack


def pack_tensor(t: Any) -> tuple[Any, Any]:
    """(packed object, unpack hook) by the innermost hooks."""
    pack_hook, unpack_hook = STATE.saved_hooks[-1]
    version = t._v
    before = version[0] if version is not None else 0
    with _without_hooks():
        packed = pack_hook(t)
    if version is not None and version[0] != before:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors given to a pack "
            "hook can not be modified by in-place operations: the program goes on with them.\n"
            "  Fix: modify a clone() in the hook."
        )
    return packed, unpack_hook


def unpack_tensor(packed: Any, unpack_hook: Any) -> Any:
    hooks = list(STATE.saved_hooks)
    try:
        value = unpack_hook(packed)
    finally:
        if STATE.saved_hooks != hooks:  # what the hook entered or left ends with it
            STATE.saved_hooks[:] = hooks
            (STATE.turn_on if hooks else STATE.turn_off)(SAVED_HOOKS)
    if not isinstance(value, TensorBase):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
            f"{type(value).__name__}"
        )
    return value


@contextlib.contextmanager
def _without_hooks() -> Generator[None, None, None]:
    """Work done by a hook is not itself packed."""
    kept, STATE.saved_hooks = STATE.saved_hooks, []
    STATE.turn_off(SAVED_HOOKS)
    try:
        yield
    finally:
        STATE.saved_hooks = kept
        STATE.turn_on(SAVED_HOOKS)


def pack(node: Any, names: tuple[str, ...], tensors: Any, outs: Any) -> None:
    """Replace the tensors a node saved by what the pack hook makes of them."""
    op = node.op
    values = list(node.s)
    changed = False
    for k, name in enumerate(names):
        kind, detail = op.classify(name)
        value = values[k]
        if kind not in ("in", "out") or not isinstance(value, np.ndarray):
            continue
        shown = make(value)
        if kind == "in" and isinstance(tensors[detail], TensorBase):
            shown = tensors[detail]
        elif kind == "out":
            shown._v = values[len(names) + 2 * k]  # names of tensors come first
        values[k] = _Packed(*pack_tensor(shown))
        changed = True
    if changed:
        # The hook has the value now: what happens to the tensor's own memory no longer matters.
        for k in range(len(names), len(values), 2):
            values[k], values[k + 1] = _UNCHANGED, _UNCHANGED[0]
        node.s = tuple(values)
        node.fix = fix_of(node) or Fix()
        node.fix.packed = True


def unpack(node: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Saved values with packed ones unpacked, as payloads."""
    made: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, _Packed):
            value = unpack_tensor(value.value, value.unpack)._a
        made[name] = value
    return made
