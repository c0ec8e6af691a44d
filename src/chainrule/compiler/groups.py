"""Loops of the same code that do not wait for each other, side by side: threads share them as one
job, as the steps of an optimizer for all parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .lower import KernelCall
from .views import Buffer


def apart(one: Any, other: Any, share: Callable[[Buffer, Buffer], bool]) -> bool:
    """Whether two calls may run in any order: neither writes what the other reads or writes."""
    mine, theirs = one.writes(), other.writes()
    return not any(
        share(a, b)
        for written, touched in ((mine, [*other.reads(), *theirs]), (theirs, one.reads()))
        for a in written
        for b in touched
    )


def same_buffer(a: Buffer, b: Buffer) -> bool:
    """Whether they share memory, before temporaries have any."""
    return a is b


def joinable(call: Any) -> bool:
    """Whether a call may be part of a group: a loop of any length that checks nothing."""
    return isinstance(call, KernelCall) and call.kernel.generic() and not call.kernel.checks()


def bring_together(calls: list[Any]) -> list[Any]:
    """The calls in an order in which loops of the same code follow each other where they can.

    Such loops wait while others that do not need them, and that they do not need, are run first.
    """
    ordered: list[Any] = []
    waiting: list[Any] = []
    for call in calls:
        free = isinstance(call, KernelCall) and all(apart(call, w, same_buffer) for w in waiting)
        if not free:
            ordered += waiting
            waiting = []
        if joinable(call):
            if waiting and call.kernel.code() != waiting[0].kernel.code():
                ordered += waiting
                waiting = []
            waiting.append(call)
        else:
            ordered.append(call)
    return ordered + waiting
