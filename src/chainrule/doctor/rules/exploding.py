"""exploding-gradient: gradients grow beyond all bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Any

from ..finding import WARNING, Finding
from ..positions import NOWHERE
from ..vitals import Vitals
from .base import Rule
from .growth import Growth
from .learning_rate import is_usual, steep

TIMES = 100.0  # its early median
FAR = 1e3
AT_ONCE = 1e4  # so large that the first step throws everything away
FINITE = 1  # losses, before the end


class ExplodingGradient(Rule):
    """Watches the gradients that the optimizer is given (after clipping): a hundred times what they
    were, or steps larger than the weights themselves, together with a loss that rises or ends.

    Silent: runs that learn, sums instead of means (large from the start, and fine), gradients that
    are clipped before the step.
    """

    id = "exploding-gradient"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._vitals: Vitals = run.shared(Vitals)
        self._growth: Growth = run.shared(Growth)

    def findings(self) -> Iterator[Finding]:
        if self.run.learns():
            return
        sites = [s for s in self.run.sites.values() if s.losses.diverges() or _ended(s)]
        if not sites:
            return
        norms = self._norms()
        early = median(norms[:5]) if norms else 0.0
        at_once = bool(norms) and math.isfinite(norms[0]) and norms[0] > AT_ONCE
        if len(norms) < 4 and not at_once:
            return
        wild = [n for n in norms if math.isfinite(n) and n > max(TIMES * early, 1e-3)]
        huge = [n for n in norms if math.isfinite(n) and n > FAR]
        early_steep = any(
            steep(self._vitals, r) and is_usual(self._vitals.rates.get(id(r)))
            for r in self.run.optimizers
        )
        if len(wild) < 2 and len(huge) < 3 and not early_steep and not at_once:
            return
        site = sites[0]
        largest = max((n for n in norms if math.isfinite(n)), default=math.inf)
        where, why = self._growth.causes.get(site.position, (site.position, ""))
        yield Finding(
            self.id,
            WARNING,
            where if where.code is not None or where.line else NOWHERE,
            f"gradients explode: their size reaches {largest:.3g}",
            [
                *([why] if why else []),
                f"the gradients' root mean square was {early:.3g} in the first steps",
                f"the loss went from {site.losses.values[0]:.4g} to {site.losses.last:.4g}",
            ],
            "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # before optimizer.step()",
            curves={"gradient": [(float(k), n) for k, n in enumerate(norms)]},
        )

    def _norms(self) -> list[float]:
        known = [h for h in self._vitals.histories.values() if h.gradient.values]
        most = max((len(h.gradient.values) for h in known), default=0)
        rows = [h.gradient.values for h in known if 2 * len(h.gradient.values) >= most]
        length = min((len(r) for r in rows), default=0)
        return [max(r[k] for r in rows) for k in range(length)]


def _ended(site: Any) -> bool:
    """Whether a loss that was finite at first no longer is."""
    values = site.losses.values
    return not math.isfinite(site.losses.last) and sum(map(math.isfinite, values)) >= FINITE
