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


def __getattr__(name: str) -> Any:
    if name == "amp":
        import importlib

        return importlib.import_module(".amp", __name__)
    raise AttributeError(f"module 'chainrule.cpu' has no attribute {name!r}")
