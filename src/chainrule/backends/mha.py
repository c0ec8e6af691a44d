"""The fast path of multi-head attention: a switch that programs set; there is one path here."""

from __future__ import annotations

_enabled = [True]


def get_fastpath_enabled() -> bool:
    """Whether the fast path is switched on."""
    return _enabled[0]


def set_fastpath_enabled(value: bool) -> None:
    """Switch the fast path; results and speed are the same either way."""
    _enabled[0] = bool(value)
