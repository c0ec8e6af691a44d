"""unclipped-before-unscale: gradients are clipped while they still carry the loss scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import ERROR, Finding
from ..positions import Position
from ..run import Pass
from .base import Rule


class UnclippedBeforeUnscale(Rule):
    """Watches a GradScaler: between `scale(loss).backward()` and `unscale_(optimizer)` gradients
    are tens of thousands of times too large, and clipping them leaves next to nothing.

    Silent: clipping after `unscale_`, scalers that are disabled or whose scale is 1.
    """

    id = "unclipped-before-unscale"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._scaled = False
        self._scale = 1.0
        self._found: dict[Position, tuple[int, float, str]] = {}

    def scaler_used(self, scaler: Any, what: str, _args: Any, _where: Position) -> None:
        if what == "scale":
            self._scale = float(scaler.get_scale()) if scaler.is_enabled() else 1.0
        elif what in ("unscale_", "step", "update"):
            self._scaled = False

    def pass_ends(self, _this: Pass) -> None:
        self._scaled = self._scale != 1.0

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
