"""lr-too-high: steps so large that the loss cannot fall."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..finding import WARNING, Finding
from ..run import OptimizerRecord, Site
from ..vitals import Vitals
from .base import Rule
from .learning_rate import NOT_JUDGED, is_usual, steep, update_ratios

LARGE = 0.3  # of the weights, in one step
OFTEN = 5
ENOUGH = 8  # passes


class LrTooHigh(Rule):
    """Watches the size of steps beside the size of weights, and the loss: steps that change weights
    by more than 30 % again and again while the loss does not fall, or a loss that grows without
    end from the first steps on.

    Silent: any run whose loss falls; weights that begin at zero; adversarial losses that swing
    around a level with small steps; LBFGS, whose steps are long by design.
    """

    id = "lr-too-high"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._vitals: Vitals = run.shared(Vitals)

    def findings(self) -> Iterator[Finding]:
        if self.run.learns():
            return
        for record in self.run.optimizers:
            if record.kind in NOT_JUDGED or record.steps < ENOUGH:
                continue
            if is_usual(self._vitals.rates.get(id(record))) and steep(self._vitals, record):
                continue  # exploding-gradient: with such gradients no rate is small enough
            found = self._judge(record)
            if found is not None:
                yield found

    def _judge(self, record: OptimizerRecord) -> Finding | None:
        ratios = update_ratios(self._vitals, record)
        large = sum(r > LARGE or not math.isfinite(r) for r in ratios)
        sites = [s for s in self.run.sites.values() if len(s.losses.points) >= ENOUGH]
        worse = [s for s in sites if _worse(s)]
        growing = [s for s in sites if s.losses.diverges()]
        if not (growing and (large >= 2 or not ratios)) and not (large >= OFTEN and worse):
            return None
        site = (growing or worse)[0]
        values = site.losses.values
        rate = self._vitals.rates.get(id(record))
        seen = [f"the loss went from {values[0]:.4g} to {values[-1]:.4g} in {site.count} passes"]
        if ratios:
            finite = [r for r in ratios if math.isfinite(r)]
            shown = sorted(finite)[len(finite) // 2] if finite else math.inf
            seen.append(
                f"a step changes the weights by {shown:.2g} of their size (healthy: about 0.001)"
            )
        return Finding(
            self.id,
            WARNING,
            record.position,
            f"the learning rate{f' {rate:g}' if rate is not None else ''} of {record.kind} is too "
            "high: the loss cannot fall",
            seen,
            f"lr={_smaller(rate)}" if rate else "a smaller lr",
            curves={"loss": [(float(x), y) for x, y in site.losses.points]},
        )


def _worse(site: Site) -> bool:
    values = site.losses.values
    third = values[-max(3, len(values) // 3) :]
    finite = sorted(v for v in third if math.isfinite(v))
    return not finite or finite[len(finite) // 2] >= values[0]


def _smaller(rate: float) -> str:
    return f"{10 ** math.floor(math.log10(rate) - 1.5):g}" if rate > 0 else "1e-3"
