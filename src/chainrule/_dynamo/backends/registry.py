"""Code generators that programs register."""

from __future__ import annotations

from typing import Any

from ...compiler.controls import list_backends

_registered: dict[str, Any] = {}


def register_backend(compiler_fn: Any = None, name: str | None = None, tags: Any = ()) -> Any:
    """Note a code generator; `compile(backend=name)` uses ours for every name it does not know."""
    if compiler_fn is None:
        return lambda function: register_backend(function, name, tags)
    _registered[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


register_debug_backend = register_experimental_backend = register_backend


def lookup_backend(compiler_fn: Any) -> Any:
    """The registered code generator of a name."""
    if not isinstance(compiler_fn, str):
        return compiler_fn
    if compiler_fn not in _registered:
        raise RuntimeError(f"Invalid backend: {compiler_fn!r}; ours are {list_backends()}")
    return _registered[compiler_fn]


__all__ = ["list_backends", "lookup_backend", "register_backend"]
