"""unused-parameter: an optimizer holds a parameter that no loss depends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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

    def findings(self) -> Iterator[Finding]:
        names = self.run.names()
        for record in self.run.optimizers:
            stale = {id(p) for p in self._census.stale(record)}
            by_line: dict[Position, list[Any]] = {}
            for p in self._census.unused(record):
                if id(p) not in stale or not self._census.outside():
                    owner = self.run.owner(p)
                    by_line.setdefault(NOWHERE if owner is None else owner[1], []).append(p)
            for where, group in by_line.items():
                yield self._tell(record, where, group, names)

    def _tell(
        self, record: OptimizerRecord, where: Position, group: list[Any], names: dict[int, str]
    ) -> Finding:
        steps = self._census.trained.get(id(record), record.steps)
        return Finding(
            self.id,
            WARNING,
            where if where.code is not None else record.position,
            f"{listed(group, names)} never receive{'s' if len(group) == 1 else ''} a gradient",
            [
                f"{len(group)} of the {len(record.parameters)} parameters of {record.kind} had "
                f"grad None at all {steps} steps that were looked at",
                "no path of the graph leads from the loss to it: its result is not used, or is cut "
                "by detach(), .data, .item(), numpy() or no_grad()",
            ],
            "use its result in the loss, or leave the parameter out of the optimizer",
            about=frozenset(("parameter", id(p)) for p in group),
        )
