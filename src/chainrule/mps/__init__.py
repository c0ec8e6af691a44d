"""Apple's GPU, honestly: it is not used."""

from __future__ import annotations

from ..standins import add_to as _add_stand_ins
from ..tensor.device import require


def is_available() -> bool:
    """Whether it can be used: never."""
    return False


def device_count() -> int:
    """How many there are: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seeds its random numbers, of which there are none."""


def empty_cache() -> None:
    """Frees its cached memory, of which there is none."""


def synchronize() -> None:
    """Waits for its work: refused, there is no such device."""
    require("mps")


_add_stand_ins(globals())
