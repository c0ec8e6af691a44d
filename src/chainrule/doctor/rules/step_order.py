"""step-order: zero_grad, backward and step in an order that trains nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...autograd.node import next_key
from ...ops.weak import WeakTable
from ..finding import ERROR, WARNING, Finding
from ..positions import NOWHERE, Position
from ..run import OptimizerRecord, Pass, Step
from .base import Rule, fingerprint

TIMES = 3
NEVER = 5  # passes without any step


class StepOrder(Rule):
    """Watches the order of three things per optimizer: gradients written, gradients used by a
    step, gradients gone.

    (a) a step finds no gradients although backward() runs in every iteration; (b) gradients vanish
    before any step used them, again and again; (c) a scheduler steps before the first step of its
    optimizer. Silent: accumulation, a step left out now and then, a GradScaler that skips.
    """

    id = "step-order"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._empty: dict[Any, tuple[int, Position]] = {}  # steps in a row without any gradient
        self._fresh: dict[int, bool] = {}  # gradients written since the last step, by optimizer
        self._lost: dict[Any, tuple[int, Position]] = {}
        self._zeroed_at: Position | None = None
        self._early: list[tuple[Position, str]] = []
        self._seen = WeakTable()
        self._scaled = False
        self._keys: dict[int, int] = {}  # nodes recorded before the latest step have greater keys
        self._written: dict[int, int] = {}  # passes that wrote gradients, by optimizer
        self._prints: dict[int, list[Any]] = {}  # its parameters at the first of them
        self._site: Position = NOWHERE
        self._passes = 0  # when the latest step began
        self._delayed: dict[int, int] = {}  # passes whose whole use of the parameters came before
        self._between: dict[int, int] = {}  # steps between the forward and the backward of a loss

    def pass_begins(self, this: Pass) -> None:
        if not this.nodes:
            return
        oldest = this.nodes[-1].key  # they are in order
        for record in self.run.optimizers:
            stepped = self._keys.get(id(record), oldest)
            if stepped < oldest:
                self._between[id(record)] = self._between.get(id(record), 0) + 1
                if _uses_all_before(this, record, stepped):
                    self._delayed[id(record)] = self._delayed.get(id(record), 0) + 1

    def scaler_used(self, *_event: Any) -> None:
        self._scaled = True

    def pass_ends(self, this: Pass) -> None:
        if not this.looked:
            return
        reached = {id(leaf) for leaf in this.leaves}
        for record in self.run.optimizers:
            if any(id(p) in reached for p in record.parameters):
                self._fresh[id(record)] = True
                self._written[id(record)] = self._written.get(id(record), 0) + 1
                self._site = this.site.position
                if id(record) not in self._prints:
                    self._prints[id(record)] = [fingerprint(p) for p in record.parameters]

    def zeroed(self, owner: Any, where: Position) -> None:
        """zero_grad of an optimizer or a module: were there gradients that nobody used?"""
        for record in self.run.optimizers:
            mine = record.ref() is owner or self._same_parameters(owner, record)
            if mine and self.run.looking and self._fresh.get(id(record)):
                self._fresh[id(record)] = False
                if self._has_gradient(record):
                    count, _ = self._lost.get(id(record), (0, where))
                    self._lost[id(record)] = (count + 1, where)

    def _same_parameters(self, owner: Any, record: OptimizerRecord) -> bool:
        if not hasattr(owner, "named_parameters"):
            return False
        held = {id(p) for p in record.parameters}
        return any(id(p) in held for p in owner.parameters())

    def step_begins(self, this: Step) -> None:
        if not this.looked:
            return
        key = id(this.optimizer)
        if self._fresh.get(key) or self._has_gradient(this.optimizer):
            self._empty.pop(key, None)
            if self._fresh.get(key):
                self._lost.pop(key, None)
        else:
            count, where = self._empty.get(key, (0, this.position))
            self._empty[key] = (count + 1, where)
        self._fresh[key] = False
        self._keys[key] = next_key()
        self._passes = self.run.passes

    def step_ends(self, this: Step) -> None:
        if this.looked and self.run.passes > self._passes:  # a closure computed them
            self._empty.pop(id(this.optimizer), None)

    def _has_gradient(self, record: OptimizerRecord) -> bool:
        return any(fingerprint(p.grad) is not None for p in record.parameters)

    def scheduler_stepped(self, scheduler: Any, where: Position) -> None:
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is None or scheduler in self._seen or not where.is_users:
            return
        made = not hasattr(scheduler, "_step_count")  # its constructor calls step(), too
        if made or self._under_construction(scheduler):
            return
        self._seen[scheduler] = True
        record = self.run.record_of(optimizer)
        if record.steps == 0 and not self._scaled:
            self._early.append((where, type(scheduler).__name__))

    def _under_construction(self, scheduler: Any) -> bool:
        import sys

        frame: Any = sys._getframe(1)
        while frame is not None:
            made = frame.f_locals.get("self") if frame.f_code.co_name == "__init__" else None
            if made is scheduler or hasattr(made, "get_last_lr"):  # or one that holds it
                return True
            frame = frame.f_back
        return False

    def findings(self) -> Iterator[Finding]:
        for record in self.run.optimizers:
            yield from self._of(record)
        for where, kind in self._early[:1]:
            yield Finding(
                self.id,
                WARNING,
                where,
                f"{kind}.step() runs before the first step of the optimizer: the first learning "
                "rate is skipped",
                ["the optimizer had not stepped yet"],
                "call optimizer.step() first, then scheduler.step()",
            )

    def _of(self, record: OptimizerRecord) -> Iterator[Finding]:
        lost, where_lost = self._lost.get(id(record), (0, record.position))
        empty, where_empty = self._empty.get(id(record), (0, record.position))
        early = self._between.get(id(record), 0)  # step() came between forward and backward
        if lost >= TIMES and empty >= 1 and early < TIMES:
            yield Finding(
                self.id,
                ERROR,
                where_lost,
                "gradients are reset between backward() and step(): the step has nothing to use",
                [f"{lost} times in a row gradients were written and reset before any step"],
                "call zero_grad() before backward(), or after step()",
            )
        elif empty >= TIMES and self.run.passes >= TIMES and self._reaches(record):
            yield Finding(
                self.id,
                ERROR,
                where_empty,
                "step() runs when there are no gradients: backward() comes after it",
                [f"{empty} steps in a row found every gradient None or zero"],
                "call optimizer.step() after loss.backward()",
            )
        elif self._is_delayed(record):
            yield Finding(
                self.id,
                ERROR,
                record.stepped_at,
                "step() runs between the forward pass and backward(): it uses the gradients of the "
                "batch before",
                [
                    f"in {self._delayed[id(record)]} of {self._written[id(record)]} passes the "
                    "weights had been changed since the loss was computed"
                ],
                "call optimizer.step() after loss.backward()",
            )
        elif record.steps == 0 and self._written.get(id(record), 0) >= NEVER and self._idle(record):
            yield Finding(
                self.id,
                ERROR,
                self._site,
                "gradients are computed, but the optimizer never steps",
                [
                    f"backward() wrote gradients {self._written[id(record)]} times; step() was "
                    "never called and the parameters did not change"
                ],
                "call optimizer.step() after loss.backward()",
            )

    def _is_delayed(self, record: OptimizerRecord) -> bool:
        """Whether nearly every pass belongs to a forward that was run before the latest step."""
        passes = self._written.get(id(record), 0)
        return self._delayed.get(id(record), 0) >= max(TIMES, 0.8 * (passes - 1))

    def _idle(self, record: OptimizerRecord) -> bool:
        """Whether nobody, not even by hand, changed the parameters; another may hold them."""
        held = {id(p) for r in self.run.optimizers if r.steps for p in r.parameters}
        if any(id(p) in held for p in record.parameters):
            return False
        return self._prints.get(id(record)) == [fingerprint(p) for p in record.parameters]

    def _reaches(self, record: OptimizerRecord) -> bool:
        return any(p.grad is not None for p in record.parameters) or id(record) in self._fresh


def _uses_all_before(this: Pass, record: OptimizerRecord, stepped: int) -> bool:
    """Whether every op of a pass that uses the optimizer's parameters is older than its step."""
    held = {id(p) for p in record.parameters}
    keys = [
        v.key
        for v in this.nodes
        for link in v.inputs
        if link.parent.leaf is not None and id(link.parent.leaf) in held
    ]
    return bool(keys) and min(keys) > stepped
