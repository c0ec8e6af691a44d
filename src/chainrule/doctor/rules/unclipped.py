"""unclipped-before-unscale: gradients are clipped while they still carry the loss scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import ERROR, Finding
from ..positions import Position
from ..run import Pass
from .base import Rule

CLAMPS = ("clamp", "clip")


class UnclippedBeforeUnscale(Rule):
    """Watches a GradScaler: between `scale(loss).backward()` and `unscale_(optimizer)` gradients
    are tens of thousands of times too large, and clipping them leaves next to nothing.

    Silent: clipping after `unscale_`, scalers that are disabled or whose scale is 1.
    """

    id = "unclipped-before-unscale"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._scaled = False
        self._scale = 1.0
        self._found: dict[Position, tuple[int, float, str]] = {}

    def scaler_used(self, scaler: Any, what: str, _args: Any, _where: Position) -> None:
        if what == "scale":
            self._scale = float(scaler.get_scale()) if scaler.is_enabled() else 1.0
        elif what in ("unscale_", "step", "update"):
            if self._scaled:
                self._by_hand()
            self._scaled = False

    def pass_ends(self, _this: Pass) -> None:
        self._scaled = self._scale != 1.0

    def _by_hand(self) -> None:
        """`p.grad.clamp_()` leaves its name and line in the counter of the gradient."""
        for record in self.run.optimizers:
            for p in record.parameters:
                counter = None if p.grad is None else p.grad._v
                if counter is None or len(counter) < 4 or not str(counter[1]).startswith(CLAMPS):
                    continue
                where = Position(counter[2], counter[3])
                if where.is_users:
                    count, _, _ = self._found.get(where, (0, 0.0, ""))
                    self._found[where] = (count + 1, self._scale, str(counter[1]))

    def gradients_clipped(self, name: str, _p: Any, _args: Any, where: Position) -> None:
        if self._scaled and self._scale != 1.0:
            count, _, _ = self._found.get(where, (0, 0.0, name))
            self._found[where] = (count + 1, self._scale, name)

    def findings(self) -> Iterator[Finding]:
        for where, (count, scale, name) in self._found.items():
            yield Finding(
                self.id,
                ERROR,
                where,
                f"{name} clips gradients that are still multiplied by the loss scale",
                [f"the scale was {scale:g} at {count} calls; unscale_() had not been called"],
                "scaler.unscale_(optimizer)  # before clipping",
            )
