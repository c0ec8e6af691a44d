"""oneDNN: not used here."""

from __future__ import annotations


def is_available() -> bool:
    """Whether it is used: no."""
    return False


def is_built() -> bool:
    """Whether this build could use it: no."""
    return False


enabled = True
