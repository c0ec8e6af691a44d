"""A decorator that says how stable a function is; it changes nothing."""

from __future__ import annotations

from typing import Any


def compatibility(is_backward_compatible: bool) -> Any:
    """The function itself."""
    return lambda fn: fn
