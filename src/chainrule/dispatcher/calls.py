"""Operators by name, with the arguments that PyTorch would hand on: none that are the defaults."""

from __future__ import annotations

import functools
import threading
from typing import Any

from ..library import aten as _aten
from ..ops.overloads import OpOverload, namespace
from ..ops.schema import Op
from .asking import send

# What an operator gave beside the result of the op, for the formula of its gradient.
NOTES = threading.local()


@functools.cache
def overload(name: str) -> OpOverload:
    """`torch.ops.aten.<name>`, the name with its overload."""
    packet, _, which = name.partition(".")
    return getattr(getattr(namespace("aten"), packet), which)


@functools.cache
def exists(name: str) -> bool:
    """Whether PyTorch has such an operator."""
    packet, _, which = name.partition(".")
    return which in _aten.overloads_of(packet)


@functools.cache
def _defaults(name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The defaults of an operator's positional arguments (... where it has none) and of others."""
    schema = _aten.schema_of(overload(name))
    by_place = tuple(
        a.default if a.has_default_value() else ... for a in schema.arguments if not a.kwarg_only
    )
    named = {a.name: a.default for a in schema.arguments if a.kwarg_only and a.has_default_value()}
    return by_place, named


def _is_default(value: Any, default: Any) -> bool:
    if default is ... or type(value).__module__.startswith("chainrule.tensor"):
        return False
    if isinstance(value, list | tuple) and type(default) is int:
        return bool(value) and all(v == default and type(v) is int for v in value)
    if isinstance(value, str):
        return value == default
    if isinstance(default, list | tuple) or isinstance(value, list | tuple):
        return (
            isinstance(value, list | tuple)
            and isinstance(default, list | tuple)
            and (list(value) == list(default))
        )
    if isinstance(default, bool) or isinstance(value, bool):
        return value is default
    return value is default or (isinstance(value, int | float) and value == default)


def trimmed(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments without those at the end, and those by name, that are the defaults."""
    if not exists(name):
        return args, kwargs
    by_place, named = _defaults(name)
    count = len(args)
    while count and count <= len(by_place) and _is_default(args[count - 1], by_place[count - 1]):
        count -= 1
    kept = {k: v for k, v in kwargs.items() if k not in named or not _is_default(v, named[k])}
    return args[:count], kept


def aten(name: str, *args: Any, **kwargs: Any) -> Any:
    """Put an operator of PyTorch before the handlers."""
    args, kwargs = trimmed(name, args, kwargs)
    return send(overload(name), args, kwargs)


# ---- ops that PyTorch has no operator for --------------------------------------------------------


class OwnOverload(OpOverload):
    """An op of the table that is no operator of PyTorch: `torch.ops.chainrule.<op>.default`."""

    def __init__(self, op: Op) -> None:
        packet = namespace("chainrule").__dict__.get(op.name) or _packet(op)
        super().__init__(packet, "default")
        self.row = op

    def __call__(self, *args: Any, **params: Any) -> Any:
        from ..autograd.dispatch import entry

        return entry(self.row)(*args, **params)


def _packet(op: Op) -> Any:
    from ..ops.overloads import OpOverloadPacket

    made = OpOverloadPacket("chainrule", op.name)
    setattr(namespace("chainrule"), op.name, made)
    return made


@functools.cache
def own_overload(op: Op) -> OwnOverload:
    """The operator of ours for an op of the table."""
    return OwnOverload(op)


def own(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Put an op of ours before the handlers."""
    return send(own_overload(op), args, params)
