"""Which parameters receive gradients, which the optimizers hold, and which change."""

from __future__ import annotations

from typing import Any
from weakref import ref

from ...nn.parameter import Parameter
from ..run import OptimizerRecord, Pass, Run, Step
from .base import fingerprint

ENOUGH = 5  # steps before absence means anything
OFTEN = 0.9  # of the passes of those that are used most


class _Leaf:
    def __init__(self, leaf: Any) -> None:
        self.ref = ref(leaf)
        self.print = fingerprint(leaf)
        self.passes = 0

    def changed(self) -> bool:
        leaf = self.ref()
        return leaf is not None and fingerprint(leaf) != self.print


class Census:
    """Who is trained, and who is not; shared by the rules about parameters."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.trained: dict[int, int] = {}  # by optimizer: steps at which some had a gradient
        self._reached: dict[int, _Leaf] = {}
        self._with_grad: set[int] = set()  # ids of parameters that had a gradient at some step
        self._latest: dict[int, int] = {}  # by leaf: the latest pass that was read and reached it
        self._read = 0  # passes that were read

    def pass_begins(self, this: Pass) -> None:
        if this.tape is not None:
            self._read += 1
        for leaf in this.leaves:
            self._latest[id(leaf)] = self._read
            known = self._reached.get(id(leaf))
            if known is None or known.ref() is not leaf:
                known = self._reached[id(leaf)] = _Leaf(leaf)
            known.passes += 1

    def step_begins(self, this: Step) -> None:
        if not this.looked:
            return
        any_gradient = False
        for p in this.optimizer.parameters:
            if p.grad is not None:
                self._with_grad.add(id(p))
                any_gradient = True
        if any_gradient:
            key = id(this.optimizer)
            self.trained[key] = self.trained.get(key, 0) + 1

    def unused(self, record: OptimizerRecord) -> list[Any]:
        """Parameters of an optimizer that never had a gradient while others of it did."""
        if self.trained.get(id(record), 0) < ENOUGH and not (
            record.steps >= ENOUGH and self.outside()
        ):
            return []
        found = [
            p
            for p in record.parameters
            if p._rg and p.grad is None and id(p) not in self._with_grad and not self._is_reached(p)
        ]
        return [p for p in found if not self._is_routed(p, record)] if found else []

    def _is_routed(self, p: Any, record: OptimizerRecord) -> bool:
        """Whether modules beside the parameter's own, in one list, are used in some passes and not
        in others: which of them is used is for the data to say, as with experts."""
        names = self.run.names()
        mine = names.get(id(p), "").split(".")
        passes = {id(q): self._passes_of(q) for q in record.parameters}
        most = max(passes.values(), default=0)
        beside = [passes.get(key, 0) for key, name in names.items() if _are_beside(mine, name)]
        return any(0 < count < OFTEN * most for count in beside)

    def _passes_of(self, p: Any) -> int:
        return self._reached[id(p)].passes if self._is_reached(p) else 0

    def _is_reached(self, p: Any) -> bool:
        known = self._reached.get(id(p))
        return known is not None and known.ref() is p

    def outside(self) -> list[Any]:
        """Parameters that get gradients while others are trained, and that nobody changes."""
        if sum(record.steps for record in self.run.optimizers) < ENOUGH:
            return []
        held = self.run.in_optimizers()
        found = []
        for known in self._reached.values():
            leaf = known.ref()
            if leaf is None or id(leaf) in held or not self._is_meant(leaf):
                continue
            if known.passes >= ENOUGH and leaf.grad is not None and not known.changed():
                found.append(leaf)
        return self._of_no_fixed_model(found) if found else found

    def _of_no_fixed_model(self, found: list[Any]) -> list[Any]:
        """Without the parameters of models that nobody trains, where the optimizers hold nothing
        but tensors of no model: an image or a code is optimized through a model that stays."""
        held = [p for record in self.run.optimizers for p in record.parameters]
        models = {id(p) for model in self.run.roots() for p in model.parameters()}
        reached = all(self._latest.get(id(p), 0) > self._read - ENOUGH for p in held)
        if not held or not reached or any(id(p) in models for p in held):
            return found
        return [p for p in found if id(p) not in models]

    def _is_meant(self, leaf: Any) -> bool:
        """Parameters, and tensors with gradients that a model keeps as a plain attribute."""
        if isinstance(leaf, Parameter):
            return True
        return any(
            value is leaf
            for module in self.run.roots()
            for part in module.modules()
            for value in vars(part).values()
        )

    def added_later(self, record: OptimizerRecord) -> list[Any]:
        """Parameters that a model of the optimizer got after the optimizer was made."""
        place = self.run.optimizers.index(record)
        held = {id(p) for p in record.parameters}
        mine = {
            id(p)
            for model in self.run.roots()
            if any(id(p) in held for p in model.parameters())
            for p in model.parameters()
        }
        later = [p for p in self.outside() if self.run.made_when.get(p, 0) > place]
        return [p for p in later if id(p) in mine]

    def stale(self, record: OptimizerRecord) -> list[Any]:
        """Parameters that no pass reaches any more while others of their shape, which no optimizer
        holds, took their place."""
        outside = [tuple(p.shape) for p in self.outside()]
        if not outside or self._read < ENOUGH:
            return []
        names = self.run.names()
        found = []
        for p in record.parameters:
            if not p._rg or self._latest.get(id(p), 0) > self._read - ENOUGH:
                continue
            if tuple(p.shape) in outside or (id(p) not in names and id(p) not in self._latest):
                found.append(p)
        return found


def _are_beside(mine: list[str], other: str) -> bool:
    """Whether two names of parameters differ in the place of a list alone."""
    parts = other.split(".")
    if len(parts) != len(mine):
        return False
    differ = [(a, b) for a, b in zip(mine, parts, strict=True) if a != b]
    return len(differ) == 1 and differ[0][0].isdigit() and differ[0][1].isdigit()


def listed(parameters: list[Any], names: dict[int, str]) -> str:
    """A few parameters by name."""
    known = [names.get(id(p), f"a parameter of shape {list(p.shape)}") for p in parameters]
    some = ", ".join(known[:3])
    return some if len(known) <= 3 else f"{some} and {len(known) - 3} more"


__all__ = ["ENOUGH", "Census", "listed"]
