"""Communication hooks: functions that reduce the buckets of DistributedDataParallel."""

from __future__ import annotations

from ....standins import add_to as _add_stand_ins

_add_stand_ins(globals())
