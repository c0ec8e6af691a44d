"""stale-optimizer: the model was changed after the optimizer was made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import ERROR, Finding
from .base import Rule
from .census import Census, listed


class StaleOptimizer(Rule):
    """Watches for an optimizer that holds parameters which belong to no module any more, while
    parameters of the model receive gradients and are in no optimizer.

    Silent: several optimizers that share a model between them.
    """

    id = "stale-optimizer"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._census: Census = run.shared(Census)

    def findings(self) -> Iterator[Finding]:
        outside = self._census.outside()
        for record in self.run.optimizers:
            stale = self._census.stale(record)
            if not stale or not outside:
                continue
            owner = self.run.owner(outside[0])
            where = record.position if owner is None or owner[1].code is None else owner[1]
            yield Finding(
                self.id,
                ERROR,
                where,
                f"{record.kind} holds parameters that the model no longer has: "
                f"{listed(outside, self.run.names())} took their place and are not trained",
                [
                    f"{len(stale)} parameters of the optimizer made at {record.position.short} "
                    "never had a gradient and belong to no module",
                    f"{len(outside)} parameters of the model receive gradients and never change",
                ],
                "make the optimizer after the model is complete",
                about=frozenset(("parameter", id(p)) for p in [*outside, *stale]),
            )
