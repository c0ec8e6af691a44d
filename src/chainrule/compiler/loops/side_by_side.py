"""Loops of the same code that do not wait for each other, side by side: threads share them as one
job, as the steps of an optimizer for all parameters.
"""

from __future__ import annotations

from typing import Any

from ..graph.views import Buffer
from .calls import KernelCall


class Touched:
    """What some calls read and write; `placed` once temporaries have memory, which they share."""

    def __init__(self, placed: bool) -> None:
        self.read, self.written = _Buffers(placed), _Buffers(placed)

    def add(self, call: Any) -> None:
        """One more of these calls."""
        self.read.add(call.reads())
        self.written.add(call.writes())

    def apart(self, call: Any) -> bool:
        """Whether another call and these may run in any order: none writes what one of the others
        reads or writes."""
        writes = call.writes()
        meets = self.written.meet(writes) or self.read.meet(writes)
        return not (meets or self.written.meet(call.reads()))


class _Buffers:
    def __init__(self, placed: bool) -> None:
        self.placed = placed
        self.known: set[Buffer] = set()
        self.temporaries: list[Buffer] = []

    def add(self, buffers: list[Buffer]) -> None:
        self.known.update(buffers)
        if self.placed:
            self.temporaries += [b for b in buffers if b.kind == "temp"]

    def meet(self, buffers: list[Buffer]) -> bool:
        if not self.known.isdisjoint(buffers):
            return True
        return any(
            b.kind == "temp" and a.offset < b.offset + b.nbytes and b.offset < a.offset + a.nbytes
            for a in self.temporaries
            for b in buffers
        )


def joinable(call: Any) -> bool:
    """Whether a call may be part of a group: a loop of any length that checks nothing."""
    return isinstance(call, KernelCall) and call.kernel.generic() and not call.kernel.checks()


def bring_together(calls: list[Any]) -> list[Any]:
    """The calls in an order in which loops of the same code follow each other where they can.

    Such loops wait while others that do not need them, and that they do not need, are run first.
    """
    ordered: list[Any] = []
    waiting: list[Any] = []
    touched, code = Touched(placed=False), None
    for call in calls:
        own = call.kernel.code() if joinable(call) else None
        free = isinstance(call, KernelCall) and touched.apart(call)
        if waiting and not (free and own in (None, code)):
            ordered += waiting
            waiting, touched = [], Touched(placed=False)
        if own is None:
            ordered.append(call)
        else:
            code = own
            waiting.append(call)
            touched.add(call)
    return ordered + waiting
