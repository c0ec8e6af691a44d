"""unused-parameter: an optimizer holds a parameter that no loss depends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..calls import Calls
from ..cuts import Cuts
from ..finding import WARNING, Finding
from ..positions import NOWHERE, Position
from ..run import OptimizerRecord
from .base import Rule
from .census import Census, listed


class UnusedParameter(Rule):
    """Watches which parameters of an optimizer ever have a gradient: this one has none in the whole
    run, while others of the same optimizer do.

    Silent: parameters that are used on some paths only (one gradient is enough), embeddings,
    frozen parameters, gradients that are there but zero.
    """

    id = "unused-parameter"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._census: Census = run.shared(Census)
        self._cuts: Cuts = run.shared(Cuts)
        self._calls: Calls = run.shared(Calls)

    def findings(self) -> Iterator[Finding]:
        names = self.run.names()
        for record in self.run.optimizers:
            stale = {id(p) for p in self._census.stale(record)}
            by_line: dict[Position, tuple[str, list[Any]]] = {}
            for p in self._census.unused(record):
                if id(p) not in stale or not self._census.outside():
                    where, why = self._cause(p, record)
                    by_line.setdefault(where, (why, []))[1].append(p)
            for where, (why, group) in by_line.items():
                yield self._tell(record, where, why, group, names)

    def _cause(self, p: Any, record: OptimizerRecord) -> tuple[Position, str]:
        """The line that cuts the path from a parameter to the loss, or that which made it."""
        cut = self._cuts.behind(p)
        if cut is not None:
            return cut.where, f"{cut.name} at {cut.where.short} takes its result out of the graph"
        owner = self.run.owner(p)
        if owner is not None and id(owner[0]) not in self._calls.recorded:
            switch = self._calls.silent.get(id(owner[0]), NOWHERE)
            if switch.is_users:
                return switch, f"it only runs without a graph, switched off at {switch.short}"
        made = self.run.made_at(p)
        why = "no path of the graph leads from the loss to it: its result is not used"
        return (made if made.code is not None else record.position), why

    def _tell(
        self,
        record: OptimizerRecord,
        where: Position,
        why: str,
        group: list[Any],
        names: dict[int, str],
    ) -> Finding:
        steps = self._census.trained.get(id(record), record.steps)
        return Finding(
            self.id,
            WARNING,
            where,
            f"{listed(group, names)} never receive{'s' if len(group) == 1 else ''} a gradient",
            [
                f"{len(group)} of the {len(record.parameters)} parameters of {record.kind} had "
                f"grad None at all {steps} steps that were looked at",
                why,
            ],
            _fix(where, why),
            about=frozenset(("parameter", id(p)) for p in group),
        )


def _fix(where: Position, why: str) -> str:
    for cut in (".detach()", ".data", ".tolist()", ".numpy()"):
        if cut in where.text and "takes its result" in why:
            return where.text.replace(cut, "", 1)
    if "without a graph" in why:
        return "run it outside of no_grad()"
    return "use its result in the loss, or leave the parameter out of the optimizer"
