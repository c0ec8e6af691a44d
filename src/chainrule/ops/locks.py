"""Locks and values of one thread, as `threading` has them, without the time to load `threading`."""

from __future__ import annotations

from _thread import RLock as RLock  # pyright: ignore[reportAttributeAccessIssue]
from _thread import _local as local  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage]
from _thread import allocate_lock as Lock

__all__ = ["Lock", "RLock", "local"]
