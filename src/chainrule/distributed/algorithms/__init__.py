"""Ways to train with several processes: uneven inputs, communication hooks."""

from __future__ import annotations

from ...standins import add_to as _add_stand_ins
from .join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]

_add_stand_ins(globals())
