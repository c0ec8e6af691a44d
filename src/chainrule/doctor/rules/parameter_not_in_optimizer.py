"""parameter-not-in-optimizer: a parameter gets gradients, and nobody uses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import ERROR, Finding
from ..run import OptimizerRecord
from .base import Rule
from .census import Census, listed


class ParameterNotInOptimizer(Rule):
    """Watches parameters that receive gradients in every pass, that no optimizer holds, and whose
    values never change, while others are trained.

    Silent: parameters of a network that another optimizer trains, or that are updated by hand or
    as an average of others; inputs that are differentiated on purpose; models through which
    an input is optimized; frozen parameters.
    """

    id = "parameter-not-in-optimizer"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._census: Census = run.shared(Census)

    def findings(self) -> Iterator[Finding]:
        outside = self._census.outside()
        records = self.run.optimizers
        if not outside or any(
            self._census.stale(r) or self._census.added_later(r) for r in records
        ):
            return  # stale-optimizer speaks of the second
        record = _second(records) or max(records, key=lambda r: r.steps)
        yield Finding(
            self.id,
            ERROR,
            record.position,
            f"{listed(outside, self.run.names())} receive gradients but no optimizer holds them: "
            "they never change",
            [
                f"{len(outside)} parameters had a gradient in every pass and kept their values "
                f"through {record.steps} steps of {record.kind}",
                *self._made_at(outside),
            ],
            "hand all parameters to the optimizer; modules in a plain list need nn.ModuleList",
            about=frozenset(("parameter", id(p)) for p in outside),
        )

    def _made_at(self, outside: list[Any]) -> list[str]:
        lines = {at.short for p in outside if (at := self.run.made_at(p)).code is not None}
        return [f"they were made at {', '.join(sorted(lines)[:3])}"] if lines else []


def _second(records: list[OptimizerRecord]) -> OptimizerRecord | None:
    """An optimizer that was given nothing but what an earlier one holds: it was meant for
    others."""
    held: set[int] = set()
    for record in records:
        own = {id(p) for p in record.parameters}
        if own and own <= held:
            return record
        held |= own
    return None
