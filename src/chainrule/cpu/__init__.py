"""The CPU: the device that computes."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """Whether it can be used: always."""
    return True


def device_count() -> int:
    """How many there are: it counts as one."""
    return 1


def current_device() -> str:
    """Its name."""
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Waits for outstanding work: there is none, results are there when a call returns."""


def is_initialized() -> bool:
    """Whether it is ready: always."""
    return True


def set_device(device: Any) -> None:
    """Choose a CPU: there is one."""


_STREAMS = ("Event", "Stream", "StreamContext", "current_stream", "get_capabilities", "stream")


def __getattr__(name: str) -> Any:
    import importlib

    if name == "amp":
        return importlib.import_module(".amp", __name__)
    if name in _STREAMS:
        return getattr(importlib.import_module(".streams", __name__), name)
    raise AttributeError(f"module 'chainrule.cpu' has no attribute {name!r}")
