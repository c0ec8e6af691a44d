"""Names of TorchScript that libraries import from where PyTorch keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .jit import (
    _drop,
    _overload,
    _overload_method,
    export,
    ignore,
    is_scripting,
    isinstance,  # noqa: A004 - PyTorch's name
    unused,
)
from .jit.annotations import (
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
    BroadcastingList4,
)
from .standins.finder import rest_of as _rest_of


def boolean_dispatch(
    arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any],
    if_false: Callable[..., Any], module_name: str, func_name: str,
) -> Callable[..., Any]:  # fmt: skip
    """One function of two, chosen by a flag among the arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        chosen = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if chosen else if_false)(*args, **kwargs)

    call.__name__ = call.__qualname__ = func_name
    call.__doc__ = if_true.__doc__ or if_false.__doc__
    return call


def _copy_to_script_wrapper(fn: Any) -> Any:
    """The function itself."""
    return fn


def is_ignored_fn(fn: Any) -> bool:
    """Whether TorchScript would leave the function out: nothing is marked here."""
    return False


def is_tracing() -> bool:
    """Whether TorchScript is recording: never."""
    return False


__all__ = [
    "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "BroadcastingList4", "Final",
    "_copy_to_script_wrapper", "_drop", "_overload", "_overload_method", "boolean_dispatch",
    "export", "ignore", "is_ignored_fn", "is_scripting", "is_tracing", "isinstance", "unused",
]  # fmt: skip

__getattr__ = _rest_of(__name__)
