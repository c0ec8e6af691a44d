"""The order in which `einsum` multiplies several operands."""

from __future__ import annotations

enabled = False
strategy = "auto"


def set_flags(_enabled: bool | None = None, _strategy: str | None = None) -> tuple[bool, str]:
    """Nothing: the order is planned here without the package. The old settings."""
    return enabled, strategy


def is_available() -> bool:
    """Whether the opt_einsum package is used: no."""
    return False
