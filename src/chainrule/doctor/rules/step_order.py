"""step-order: zero_grad, backward and step in an order that trains nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...autograd.node import next_key
from ...ops.weak import WeakTable
from ..finding import ERROR, WARNING, Finding
from ..positions import NOWHERE, Position
from ..run import OptimizerRecord, Pass, Step
from ..vitals import rms, sample
from .base import Rule, fingerprint
from .failures import MODIFIED, NO_GRADIENTS, NO_STEP, is_about, raised_at

TIMES = 3
NEVER = 5  # passes without any step
TWICE = 2  # epochs with a step each, of many lost passes
MANY = 7  # lost passes before one step
FEW = 2  # parameters that are compared


class Windows:
    """The passes between two steps of an optimizer whose gradients were reset before any step."""

    def __init__(self, record: OptimizerRecord) -> None:
        self.record = record
        self.zeroed_at: Position = NOWHERE
        self.sizes: list[int] = []  # lost passes before each step
        self._sites: list[Position] = []  # of the lost passes of the window that is open
        self._latest: Position = NOWHERE
        self._gradients: list[Any] = []
        self._weights: list[Any] = []

    def written(self, site: Position) -> None:
        """A pass wrote gradients."""
        self._latest = site
        if self._sites:
            self._gradients = [sample(p.grad) for p in self._some()]

    def lost(self, where: Position) -> None:
        """They were reset."""
        if not self._sites:
            self._weights = [fingerprint(p) for p in self._some()]
        self._sites.append(self._latest)
        self.zeroed_at = where

    def used(self) -> None:
        """A step used those of the last pass. Does it see what that pass wrote, and does the model
        stand where the lost passes saw it? If not, the program makes something of them."""
        some = self._some()
        same = all(map(_is_parallel, self._gradients, [sample(p.grad) for p in some]))
        stood = self._weights == [fingerprint(p) for p in some]
        alike = all(site == self._latest for site in self._sites)
        self.sizes.append(len(self._sites) if same and stood and alike else 0)
        self._sites = []

    def _some(self) -> list[Any]:
        return self.record.parameters[:FEW]

    def thrown_away(self) -> int:
        """How many passes are lost before each step; 0 where it is not so, or not regularly."""
        usual = max(set(self.sizes), key=self.sizes.count, default=0)
        regular = self.sizes.count(usual) >= 0.7 * len(self.sizes)
        goes_on = len(self._sites) >= TIMES and usual >= MANY
        twice = len(self.sizes) >= TWICE and usual >= MANY
        enough = twice or len(self.sizes) >= TIMES or (len(self.sizes) * usual >= MANY and goes_on)
        return usual if regular and enough else 0


class StepOrder(Rule):
    """Watches the order of three things per optimizer: gradients written, gradients used by a
    step, gradients gone.

    (a) a step finds no gradients although backward() runs in every iteration; (b) gradients vanish
    before any step used them, again and again, or all but those of the last pass before each step;
    (c) a scheduler steps before the first step of its optimizer. Silent: accumulation, a step left
    out now and then, a GradScaler that skips, optimizers that take turns, gradients of single
    samples that the program takes and puts together itself.
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
        self._windows: dict[int, Windows] = {}
        self._steps = 0  # of all optimizers when the latest pass wrote gradients
        self._wrote: dict[int, int] = {}  # nodes recorded before the latest pass have greater keys
        self._too_early: Position | None = None  # a step without whose gradients backward() failed

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

    def pass_failed(self, this: Pass, problem: BaseException) -> None:
        """The step between a forward pass and its backward() changed what that needs: is it merely
        in the wrong place, since no backward() came before it?"""
        tape = this.tape if is_about(problem, MODIFIED) else None
        for record in self.run.optimizers if tape is not None and this.nodes else ():
            stepped = self._keys.get(id(record))
            wrote = self._wrote.get(id(record))
            if stepped is None or not _uses_all_before(this, record, stepped):
                continue
            if wrote is None or wrote > this.nodes[-1].key:
                self._too_early = record.stepped_at

    def scaler_used(self, *_event: Any) -> None:
        self._scaled = True

    def pass_ends(self, this: Pass) -> None:
        if not this.looked:
            return
        reached = {id(leaf) for leaf in this.leaves}
        for record in self.run.optimizers:
            if any(id(p) in reached for p in record.parameters):
                self._fresh[id(record)] = True
                self._wrote[id(record)] = next_key()
                self._written[id(record)] = self._written.get(id(record), 0) + 1
                self._site = this.site.position
                self._window(record).written(this.site.position)
                self._steps = self.run.steps
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
                    if self.run.steps == self._steps:  # else another optimizer's turn it was
                        self._window(record).lost(where)

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
                self._window(this.optimizer).used()
        else:
            count, where = self._empty.get(key, (0, this.position))
            self._empty[key] = (count + 1, where)
        self._fresh[key] = False
        self._keys[key] = next_key()
        self._passes = self.run.passes

    def _window(self, record: OptimizerRecord) -> Windows:
        return self._windows.setdefault(id(record), Windows(record))

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
        if self._too_early is not None:
            yield Finding(
                self.id,
                ERROR,
                self._too_early,
                "step() runs between the forward pass and backward(): it changes the weights that "
                "backward() needs",
                ["no gradients were written between the forward pass and the step"],
                "call optimizer.step() after loss.backward()",
            )
        if is_about(self.run.problem, NO_STEP):
            yield Finding(
                self.id,
                ERROR,
                raised_at(self.run.problem),
                "scaler.update() runs although the scaler has stepped no optimizer",
                [str(self.run.problem).splitlines()[0][:160]],
                "call scaler.step(optimizer) after backward(), before scaler.update()",
            )
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
        refused = lost and is_about(self.run.problem, NO_GRADIENTS)  # a scaler's step found none
        if refused or (lost >= TIMES and empty >= 1 and early < TIMES):
            yield Finding(
                self.id,
                ERROR,
                where_lost,
                "gradients are reset between backward() and step(): the step has nothing to use",
                [f"{lost} times in a row gradients were written and reset before any step"],
                "call zero_grad() before backward(), or after step()",
            )
        elif thrown := self._window(record).thrown_away():
            yield Finding(
                self.id,
                ERROR,
                self._window(record).zeroed_at,
                "gradients are reset before every backward(), but used by a step only now and then",
                [f"of {thrown + 1} passes before each step the gradients of {thrown} were lost"],
                "call zero_grad() after step(), not before every backward()",
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


def _is_parallel(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Whether gradients differ by no more than a factor: clipped, or no longer scaled."""
    if a is None or b is None or a.shape != b.shape:
        return a is b
    return abs(float(a @ b)) > 0.999 * rms(a) * rms(b) * a.size


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
