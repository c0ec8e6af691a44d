"""Functions that make or read tensors and are no ops, put before the modes that are on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..autograd.state import STATE
from ..autograd.value import TensorBase
from ..tensor.device import CPU
from .calls import aten


def called(func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """A public function while a mode is on."""
    if STATE.dispatch_modes and STATE.dispatching and not types:
        made = special(func, args, kwargs)
        if made is not NotImplemented:
            return made
    return func(*args, **kwargs)


def special(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What handlers say to a function that is no op; NotImplemented where they are not asked."""
    found = _specials().get(func)
    return NotImplemented if found is None else found(func, args, kwargs)


def _package() -> Any:
    return import_module("chainrule")


@functools.cache
def _specials() -> dict[Any, Callable[..., Any]]:
    package = _package()
    tensor = package.Tensor
    found: dict[Any, Callable[..., Any]] = {
        package.zeros: _sized("zeros.default"),
        package.ones: _sized("ones.default"),
        package.empty: _sized("empty.memory_format"),
        package.full: _full,
        package.eye: _ranged("eye"),
        package.arange: _ranged("arange"),
        package.linspace: _ranged("linspace"),
        package.tensor: _lifted,
        package.as_tensor: _lifted,
        package.scalar_tensor: _scalar,
        package.detach: _detach,
        tensor.detach: _detach,
        tensor.item: _item,
        tensor.__bool__: _number(bool),
        tensor.__int__: _number(int),
        tensor.__float__: _number(float),
        tensor.__complex__: _number(complex),
    }
    for name in ("zeros_like", "ones_like", "empty_like", "full_like"):
        found[getattr(package, name)] = _like(f"{name}.default")
    for name in ("new_zeros", "new_ones", "new_empty", "new_full", "new_empty_strided"):
        found[getattr(tensor, name)] = _new(name)
    return found


def _options(kwargs: dict[str, Any], places: bool = True) -> dict[str, Any] | None:
    """The options of a creation function as the operator gets them; None: it takes them not."""
    given = dict(kwargs)
    if given.pop("out", None) is not None or given.pop("requires_grad", False):
        return None
    pinned = given.pop("pin_memory", False)
    known = {k: given.pop(k) for k in ("dtype", "layout", "memory_format") if k in given}
    place = given.pop("device", None)
    if given:
        return None
    found = {k: v for k, v in known.items() if v is not None}
    if places or place is not None:
        found["device"] = CPU if place is None else _package().device(place)
    return found | {"pin_memory": pinned}


def _size(args: Any) -> list[int]:
    if len(args) == 1 and not isinstance(args[0], int) and hasattr(args[0], "__iter__"):
        return list(args[0])
    return list(args)


def _asking_grad(kwargs: dict[str, Any], make: Callable[[dict[str, Any]], Any]) -> Any:
    """A new tensor; what is asked of gradients is said when it is there."""
    wants = kwargs.get("requires_grad", False)
    made = make({k: v for k, v in kwargs.items() if k != "requires_grad"})
    if wants and isinstance(made, TensorBase):
        made.requires_grad_(True)
    return made


def _sized(name: str) -> Callable[..., Any]:
    def make(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        def of(rest: dict[str, Any]) -> Any:
            size = rest.pop("size", None)
            options = _options(rest)
            if options is None:
                return NotImplemented
            return aten(name, _size(args) if size is None else list(size), **options)

        return _asking_grad(kwargs, of)

    return make


def _full(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    def of(rest: dict[str, Any]) -> Any:
        size = args[0] if args else rest.pop("size", None)
        value = args[1] if len(args) > 1 else rest.pop("fill_value", None)
        options = _options(rest)
        if options is None or isinstance(value, TensorBase):
            return NotImplemented
        return aten("full.default", _size((size,)), value, **options)

    return _asking_grad(kwargs, of)


def _ranged(name: str) -> Callable[..., Any]:
    def make(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        def of(rest: dict[str, Any]) -> Any:
            options = _options(rest)
            which = {"arange": ("default", "start", "start_step"), "eye": ("default", "m"),
                     "linspace": ("", "", "default")}[name]  # fmt: skip
            if options is None or not 0 < len(args) <= len(which) or not which[len(args) - 1]:
                return NotImplemented
            return aten(f"{name}.{which[len(args) - 1]}", *args, **options)

        return _asking_grad(kwargs, of)

    return make


def _scalar(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    options = _options(kwargs)
    return NotImplemented if options is None else aten("scalar_tensor.default", *args, **options)


def _lifted(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Data from Python becomes a tensor unseen; that it is there is said."""
    if args and isinstance(args[0], TensorBase):
        return NotImplemented
    made = func(*args, **{k: v for k, v in kwargs.items() if k != "requires_grad"})
    made = aten("lift_fresh.default", made)
    return made.requires_grad_(True) if kwargs.get("requires_grad") else made


def _like(name: str) -> Callable[..., Any]:
    def make(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        def of(rest: dict[str, Any]) -> Any:
            options = _options(rest, places=False)
            if options is None or not args or not isinstance(args[0], TensorBase):
                return NotImplemented
            return aten(name, *args, **options)

        return _asking_grad(kwargs, of)

    return make


def _new(name: str) -> Callable[..., Any]:
    def make(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        def of(rest: dict[str, Any]) -> Any:
            size = rest.pop("size", None)
            given = args[1:]
            if name in ("new_zeros", "new_ones", "new_empty"):
                given = (_size(given) if size is None else list(size),)
            elif size is not None:
                given = (list(size), *given)
            options = _options(rest, places=False)
            return (
                NotImplemented
                if options is None
                else aten(f"{name}.default", args[0], *given, **options)
            )

        return _asking_grad(kwargs, of)

    return make


def _detach(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    from .level import twin

    (t,) = args
    if t._level is not None:
        return NotImplemented
    made = aten("detach.default", t)
    return twin(made) if made is t else made


def _number(kind: type) -> Callable[..., Any]:
    def convert(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        value = _item(func, args, kwargs)
        return value if value is NotImplemented else kind(value)

    return convert


def _item(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    (t,) = args
    if t.numel() != 1 or t._level is not None:
        return NotImplemented
    return aten("_local_scalar_dense.default", t)
