"""The order in which `einsum` multiplies several operands."""

from __future__ import annotations

enabled = False
strategy = "auto"


def is_available() -> bool:
    """Whether the opt_einsum package is used: no."""
    return False
