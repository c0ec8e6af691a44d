"""fp16-underflow: gradients too small for half precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..finding import WARNING, Finding
from ..positions import NOWHERE, Position
from ..run import Pass
from .base import Rule, array

SUBNORMAL = 6.1e-5
ENOUGH = 5
FIRST = 3  # passes of a line in which float16 is looked for
LOST = 2  # weights whose gradient is nothing but zeros
NEARLY_ALL, FAR = 0.8, 0.6  # of the entries; the fall of a loss that is fine even so


class Fp16Underflow(Rule):
    """Watches float16 graphs (not bfloat16) without a scaler: half of all gradient entries are
    exactly zero or below the smallest normal number, pass after pass, and the loss does not fall;
    or whole weights get nothing but zeros while the others get next to nothing.

    Silent: float16 with healthy gradients, any run with a GradScaler, bfloat16.
    """

    id = "fp16-underflow"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._scaled = False
        self._low: dict[Position, int] = {}
        self._share = 0.0
        self._starved = 0  # passes in which whole weights get zeros alone, and no weight enough
        self._sites: dict[Position, bool] = {}  # whether their graphs hold float16
        self._half = False  # the pass that runs goes through float16

    def scaler_used(self, scaler: Any, *_event: Any) -> None:
        self._scaled = self._scaled or bool(scaler.is_enabled())

    def pass_begins(self, this: Pass) -> None:
        """What nodes saved is gone when the pass ends."""
        site = this.site.position
        if this.in_site <= FIRST:
            self._sites[site] = any(_is_half(v) for v in this.nodes) or any(
                _half(leaf) for leaf in this.leaves
            )
        self._half = self._sites.get(site, False)

    def pass_ends(self, this: Pass) -> None:
        if this.tape is None or self._scaled or this.in_site == 0:
            return
        if not self._half:
            return
        total = low = lost = kept = 0
        for leaf in this.leaves:
            g = None if leaf.grad is None else array(leaf.grad)
            if g is not None:
                total += g.size
                below = int(np.count_nonzero(np.abs(g.astype(np.float32)) < SUBNORMAL))
                low += below
                if g.ndim >= 2:
                    lost += not g.any()
                    kept += bool(below < g.size)
        if total and low / total >= 0.5:
            self._low[this.site.position] = self._low.get(this.site.position, 0) + 1
            self._share = low / total
            if lost >= LOST and not kept:
                self._starved += 1

    def findings(self) -> Iterator[Finding]:
        if self._scaled:
            return
        if self.run.learns(FAR if self._share > NEARLY_ALL else 0.2) and self._starved < ENOUGH:
            return
        for where, count in self._low.items():
            if count >= ENOUGH:
                yield Finding(
                    self.id,
                    WARNING,
                    where if where.code is not None else NOWHERE,
                    "gradients underflow in float16: they are zero or have lost their digits",
                    [f"{self._share:.0%} of all gradient entries lie below {SUBNORMAL:g}, "
                     f"in {count} passes"],
                    "scaler = torch.amp.GradScaler(); scaler.scale(loss).backward()",
                )  # fmt: skip


def _half(tensor: Any) -> bool:
    a = array(tensor)
    return a is not None and a.dtype == np.float16


def _is_half(v: Any) -> bool:
    return any(isinstance(s, np.ndarray) and s.dtype == np.float16 for s in v.saved().values())
