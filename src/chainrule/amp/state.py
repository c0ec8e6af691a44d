"""What autocast is set to in this thread, and the functions that ask and set it one by one.

`STATE.autocast` is None while everything is as at the start, otherwise a `Settings`. Public
functions look at it only while autocast is on somewhere (`routes.py`): off, it costs nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from ..autograd.accidents import explain_module
from ..autograd.source import warn_user
from ..autograd.state import STATE
from .settings import DEFAULT_DTYPES, START, THREAD, Settings


def present_autocast() -> Settings:
    """The settings of this thread."""
    return STATE.autocast or START


def switch(settings: Settings) -> None:
    """Put settings into force in this thread."""
    before = "cpu" in present_autocast().enabled
    after = "cpu" in settings.enabled
    STATE.autocast = None if settings == START else settings
    if before is not after:
        from . import routes

        routes.count_users(1 if after else -1)


@contextlib.contextmanager
def restored_autocast(settings: Settings) -> Iterator[None]:
    """Inside the block, these settings."""
    previous = present_autocast()
    if settings == previous:
        yield
        return
    switch(settings)
    try:
        yield
    finally:
        switch(previous)


# ---- one setting at a time -----------------------------------------------------------------------


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast has settings for a device of this name (the CPU is the one that casts).

    >>> is_autocast_available("cpu")
    True
    """
    from ..tensor.device import device

    return device(device_type).type in DEFAULT_DTYPES


def _known(device_type: str) -> str:
    if not is_autocast_available(device_type):
        raise RuntimeError(f"unsupported scalarType: autocast knows no device {device_type!r}")
    return device_type


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for a device.

    >>> is_autocast_enabled("cpu")
    False
    """
    return _known(device_type) in present_autocast().enabled


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Switch autocast for a device; `set_autocast_enabled(True)` is for CUDA."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    now = present_autocast()
    switch(now.changed(_known(device_type), bool(enabled), now.dtype(device_type)))


def get_autocast_dtype(device_type: str) -> Any:
    """What a device computes in under autocast.

    >>> get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return present_autocast().dtype(_known(device_type))


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Choose what a device computes in under autocast."""
    now = present_autocast()
    switch(now.changed(_known(device_type), device_type in now.enabled, dtype))


def is_autocast_cache_enabled() -> bool:
    """Whether a weight is cast once per outermost autocast block."""
    return present_autocast().cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Choose whether a weight is cast once per outermost autocast block."""
    switch(dataclasses.replace(present_autocast(), cache_enabled=bool(enabled)))


def autocast_increment_nesting() -> int:
    """Note that an autocast block began; returns how deep blocks are nested now."""
    THREAD.depth += 1
    return THREAD.depth


def autocast_decrement_nesting() -> int:
    """Note that an autocast block ended; returns how deep blocks are nested now."""
    THREAD.depth -= 1
    return THREAD.depth


def clear_autocast_cache() -> None:
    """Forget the weights cast so far."""
    THREAD.casts.clear()


def _deprecated(name: str, instead: str) -> None:
    warn_user(
        f"torch.{name} is deprecated. Please use torch.{instead} instead.",
        DeprecationWarning,
    )


def is_autocast_cpu_enabled() -> bool:
    """Whether autocast is on for the CPU."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Switch autocast for the CPU."""
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> Any:
    """What the CPU computes in under autocast."""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """Choose what the CPU computes in under autocast."""
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> Any:
    """What a CUDA device would compute in under autocast."""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """Choose what a CUDA device would compute in under autocast."""
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


explain_module(globals())
