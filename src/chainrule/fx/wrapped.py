"""What a trace records as one call instead of looking into it: functions, methods and classes."""

from __future__ import annotations

import builtins
import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

from .function_names import public_functions
from .node import map_aggregate
from .patching import Patcher
from .proxy import Proxy


class _Traces(threading.local):
    depth = 0  # traces under way in this thread


TRACING = _Traces()
# (id of a module's names, name): what `wrap` was told of, with the names themselves.
_wrapped_fns_to_patch: dict[tuple[int, str], dict[str, Any]] = {}
_wrapped_methods_to_patch: list[tuple[type, str]] = []


def is_fx_tracing() -> bool:
    """Whether a program is being traced."""
    return TRACING.depth > 0


is_fx_symbolic_tracing = is_fx_tracing


class ProxyableClassMeta(type):
    """For classes that may be made of proxies inside a traced program."""

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = cls.__new__(cls)  # type: ignore[call-overload]
        found = find_proxy(args, kwargs)
        if not is_fx_tracing() or found is None:
            made.__init__(*args, **kwargs)
            return made
        return found.tracer.create_proxy("call_function", cls, args, kwargs)


_proxyable_classes: dict[type, None] = {}


def find_proxy(*values: Any) -> Proxy | None:
    found: list[Proxy] = []

    def note(x: Any) -> Any:
        if isinstance(x, Proxy):
            found.append(x)
        return x

    map_aggregate(values, note)
    return found[0] if found else None


def _create_wrapped_func(orig_fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is recorded as one call when proxies are among its arguments."""

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        found = find_proxy(args, kwargs)
        if found is None:
            return orig_fn(*args, **kwargs)
        made = found.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls: type, name: str) -> Callable[..., Any]:
    original = getattr(cls, name)

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        found = find_proxy(args, kwargs)
        if found is None:
            return original(*args, **kwargs)
        return found.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Record calls of a function as one node instead of tracing into it; at module level.

    >>> import chainrule as torch
    >>> @torch.fx.wrap
    ... def twice(x):
    ...     return x * 2
    >>> [n.name for n in torch.fx.symbolic_trace(lambda x: twice(x) + 1).graph.nodes]
    ['x', 'twice', 'add', 'output']
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def _recorded(function: Any, plain: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if find_proxy(args, kwargs) is None:
            return plain(*args, **kwargs)
        return Proxy.__torch_function__(function, (), args, kwargs)

    return call


def intercept(patcher: Patcher) -> None:
    """Let our own functions be recorded when they are called with proxies."""
    for space, name, function in public_functions():
        patcher.item(space, name, _recorded(function, space.get(name)))


def builtin(name: str) -> Any:
    return getattr(builtins, name, None)


def wrap_functions(patcher: Patcher, space: dict[str, Any], ids: set[int]) -> None:
    """Let functions that are wrapped by identity be recorded where this module calls them."""
    if not patcher.first_visit(space):
        return
    for name, value in list(space.items()):
        if not name.startswith("_") and callable(value) and id(value) in ids:
            patcher.item(space, name, _create_wrapped_func(value))
