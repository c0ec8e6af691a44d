"""unclipped-before-unscale: gradients are clipped while they still carry the loss scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..finding import ERROR, Finding
from ..positions import Position
from ..run import OptimizerRecord, Pass
from ..vitals import rms, sample
from .base import Rule

CLAMPS = ("clamp", "clip")
LOOKED, TIMES = 20, 3  # steps
CHANGED = 0.01


class UnclippedBeforeUnscale(Rule):
    """Watches a GradScaler: between `scale(loss).backward()` and `unscale_(optimizer)` gradients
    are tens of thousands of times too large, and clipping them leaves next to nothing.

    Silent: clipping after `unscale_`, scalers that are disabled or whose scale is 1.
    """

    id = "unclipped-before-unscale"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._scaled = False  # some optimizer's gradients carry the scale
        self._unscaled: set[int] = set()  # parameters whose gradients no longer do
        self._scale = 1.0
        self._sizes: dict[int, float] = {}  # of the gradients after the pass, by optimizer
        self._ratios: list[float] = []  # by which the program changed them before the step
        self._changed_at: Position | None = None
        self._data_at: Position | None = None
        self._found: dict[Position, tuple[int, float, str]] = {}

    def scaler_used(self, scaler: Any, what: str, args: Any, where: Position) -> None:
        if what == "scale":
            self._scale = float(scaler.get_scale()) if scaler.is_enabled() else 1.0
        elif what in ("unscale_", "step", "update"):
            if self._scaled:
                self._by_hand()
                self._rescaled(where)
            if what == "unscale_" and args:
                held = self.run.record_of(args[0]).parameters
                self._unscaled |= {id(p) for p in held}
                self._sizes.pop(id(self.run.record_of(args[0])), None)
                self._scaled = self._scaled and not self.run.in_optimizers() <= self._unscaled
            else:
                self._scaled = False

    def pass_ends(self, _this: Pass) -> None:
        self._scaled = self._scale != 1.0
        self._unscaled.clear()
        if self._scaled and len(self._ratios) < LOOKED:
            self._sizes = {id(r): _size(r) for r in self.run.optimizers}

    def _rescaled(self, used: Position) -> None:
        """Gradients divided by their own norm: by another number in every step."""
        for record in self.run.optimizers:
            before, after = self._sizes.pop(id(record), 0.0), _size(record)
            if before > 0 and abs(after / before - 1) > CHANGED and len(self._ratios) < LOOKED:
                self._ratios.append(after / before)
                self._changed_at = _writer(record) or self._data_at or used

    def cut(self, kind: str, tensor: Any, _result: Any, where: Position) -> None:
        if kind == "data" and self._scaled and not tensor._rg:  # `p.grad.data.clamp_()`
            self._data_at = where

    def _by_hand(self) -> None:
        """`p.grad.clamp_()` leaves its name and line in the counter of the gradient."""
        for record in self.run.optimizers:
            for p in record.parameters:
                counter = None if p.grad is None or id(p) in self._unscaled else p.grad._v
                if counter is None or len(counter) < 4 or not str(counter[1]).startswith(CLAMPS):
                    continue
                where = Position(counter[2], counter[3])
                if where.is_users:
                    count, _, _ = self._found.get(where, (0, 0.0, ""))
                    self._found[where] = (count + 1, self._scale, str(counter[1]))

    def gradients_clipped(
        self, name: str, parameters: list[Any], _args: Any, where: Position
    ) -> None:
        if self._scaled and any(id(p) not in self._unscaled for p in parameters):
            count, _, _ = self._found.get(where, (0, 0.0, name))
            self._found[where] = (count + 1, self._scale, name)

    def findings(self) -> Iterator[Finding]:
        varied = len(self._ratios) >= TIMES and np.std(self._ratios) > CHANGED * self._ratios[0]
        if varied and self._changed_at is not None:  # an average divides by the same every time
            self._found.setdefault(self._changed_at, (len(self._ratios), self._scale, "this line"))
        for where, (count, scale, name) in self._found.items():
            yield Finding(
                self.id,
                ERROR,
                where,
                f"{name} clips gradients that are still multiplied by the loss scale",
                [f"the scale was {scale:g} at {count} calls; unscale_() had not been called"],
                "scaler.unscale_(optimizer)  # before clipping",
            )


def _size(record: OptimizerRecord) -> float:
    found = [g for p in record.parameters if (g := sample(p.grad)) is not None]
    return rms(np.concatenate(found)) if found else 0.0


def _writer(record: OptimizerRecord) -> Position | None:
    """The user's line that wrote into a gradient last."""
    for p in record.parameters:
        counter = None if p.grad is None else p.grad._v
        if counter is not None and len(counter) >= 4:
            where = Position(counter[2], counter[3])
            if where.is_users:
                return where
    return None
