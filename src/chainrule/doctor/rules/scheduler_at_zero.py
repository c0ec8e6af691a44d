"""scheduler-at-zero: a schedule has ended, and the training goes on without steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import WARNING, Finding
from ..positions import NOWHERE, Position
from ..run import OptimizerRecord, Step
from .base import Rule

NOTHING = 1e-6  # of the largest rate of the run
ENOUGH, SHARE = 5, 0.2


class SchedulerAtZero(Rule):
    """Watches the rates of each step: the last fifth of the steps, and at least five, have a rate
    below a millionth of the largest.

    Silent: schedules that reach zero at the very end, warm-up from zero, restarts.
    """

    id = "scheduler-at-zero"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._made: dict[int, Position] = {}
        self._peak: dict[int, float] = {}
        self._idle: dict[int, int] = {}  # steps at the end without a rate

    def scheduler_made(self, scheduler: Any, where: Position) -> None:
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is not None and where.is_users:
            self._made[id(self.run.record_of(optimizer))] = where

    def step_begins(self, this: Step) -> None:
        key = id(this.optimizer)
        if key not in self._made:
            return
        rate = max(this.optimizer.rates(), default=0.0)
        peak = self._peak[key] = max(self._peak.get(key, 0.0), rate)
        self._idle[key] = self._idle.get(key, 0) + 1 if 0 < peak and rate < NOTHING * peak else 0

    def findings(self) -> Iterator[Finding]:
        for record in self.run.optimizers:
            idle = self._idle.get(id(record), 0)
            if idle >= ENOUGH and idle >= SHARE * record.steps:
                yield self._tell(record, idle)

    def _tell(self, record: OptimizerRecord, idle: int) -> Finding:
        return Finding(
            self.id,
            WARNING,
            self._made.get(id(record), NOWHERE),
            f"the schedule of {record.kind} reaches zero long before the training ends",
            [
                f"the last {idle} of {record.steps} steps had a learning rate of practically 0; "
                f"the largest was {self._peak[id(record)]:g}"
            ],
            "let the schedule last as many steps as the training: step it once per epoch, or "
            "count its length in batches",
        )
