"""Collectives started together: all are under way before the first is waited for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .group import ProcessGroup, current
from .work import Steps, Work, in_background


class Coalescing:
    """Which groups collect their collectives at the moment, and what they have collected."""

    collecting: dict[int, list[Work]] = {}  # noqa: RUF012 - by id of the group

    @classmethod
    def collects(cls, group: ProcessGroup) -> bool:
        """Whether a group's collectives are being collected."""
        return id(group) in cls.collecting

    @classmethod
    def add(cls, name: str, group: ProcessGroup, steps: Steps, result: Any) -> Work:
        """Start one of them."""
        work = Work(steps, name, group, result)
        cls.collecting[id(group)].append(work)
        return in_background(work)


class CoalescedWork:
    """Several works, waited for as one."""

    def __init__(self) -> None:
        self.works: list[Work] = []

    def append(self, work: Work) -> None:
        """One more."""
        if work is not None:
            self.works.append(work)

    def wait(self, timeout: Any = None) -> bool:
        """Wait for all of them."""
        for work in self.works:
            work.wait(timeout)
        return True

    def is_completed(self) -> bool:
        """Whether all are done."""
        return all(work.is_completed() for work in self.works)


@contextlib.contextmanager
def _coalescing_manager(
    group: Any = None, device: Any = None, async_ops: bool = False
) -> Iterator[CoalescedWork]:
    """Start the collectives of the block together; at its end wait for all, unless `async_ops`."""
    found = current(group)
    if Coalescing.collects(found):
        raise ValueError("ProcessGroup has non-empty op list at the start of coalescing")
    Coalescing.collecting[id(found)] = []
    together = CoalescedWork()
    try:
        yield together
    finally:
        together.works = Coalescing.collecting.pop(id(found))
    if not async_ops:
        together.wait()
