"""Apple's GPU: not used here."""

from __future__ import annotations

from ..standins import add_to as _add_stand_ins


def is_available() -> bool:
    """Whether it is used: no."""
    return False


def is_built() -> bool:
    """Whether this build could use it: no."""
    return False


_add_stand_ins(globals())
