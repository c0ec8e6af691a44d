"""Locks and values of one thread, as `threading` has them, without the time to load `threading`."""

from __future__ import annotations

import os
from _thread import RLock as RLock  # pyright: ignore[reportAttributeAccessIssue]
from _thread import _local as local  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage]
from _thread import allocate_lock as Lock
from typing import Any

_kept: list[tuple[int, Any]] = []  # outer ones first
_held: list[Any] = []
_PATIENCE = 20.0  # seconds for what another thread is doing under one of them


def keep_through_forks(lock: Any, depth: int) -> Any:
    """Let a process that forks hold the lock meanwhile; `depth` is greater inside of other locks.

    What another thread holds at that moment, nobody gives back in the child: whoever needs it
    there would wait for ever.
    """
    _kept.append((depth, lock))
    _kept.sort(key=lambda entry: entry[0])
    return lock


def _take_all() -> None:
    _held[:] = [lock for _, lock in _kept if lock.acquire(timeout=_PATIENCE)]


def _give_back() -> None:
    taken = _held[:]
    _held.clear()  # before another thread, which forks next, can take the first of them
    for lock in reversed(taken):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_give_back, after_in_child=_give_back)

__all__ = ["Lock", "RLock", "keep_through_forks", "local"]
