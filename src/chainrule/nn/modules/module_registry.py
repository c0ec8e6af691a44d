"""Hooks that see every member any module registers, and the words for what went wrong."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...autograd import source
from ...autograd.node import RemovableHandle

parameter_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
buffer_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
module_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()


def passed_through(hooks: dict[int, Any], module: Any, name: str, member: Any) -> Any:
    """The member, or what the registration hooks put in its place."""
    for hook in hooks.values() if hooks else ():
        replaced = hook(module, name, member)
        if replaced is not None:
            member = replaced
    return member


def before_init(kind: str, module: Any) -> str:
    """The text of the error for a member assigned to a module that is not set up yet."""
    return (
        f"cannot assign {kind} before Module.__init__() call\n  at {source.here()}\n"
        f"  Fix: make super().__init__() the first line of {type(module).__name__}.__init__."
    )


def _added(hooks: OrderedDict[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call hook(module, name, parameter) whenever any module registers a parameter."""
    return _added(parameter_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call hook(module, name, buffer) whenever any module registers a buffer."""
    return _added(buffer_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call hook(module, name, submodule) whenever any module registers a submodule."""
    return _added(module_hooks, hook)
