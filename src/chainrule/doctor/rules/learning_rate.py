"""How large the steps of an optimizer are; shared by lr-too-high and lr-too-low."""

from __future__ import annotations

from statistics import median

from ..run import OptimizerRecord
from ..vitals import Vitals

STEEP = 10.0  # times the weights
NOT_JUDGED = {"LBFGS", "Rprop"}  # their steps have sizes of their own


def update_ratios(vitals: Vitals, record: OptimizerRecord) -> list[float]:
    """Per looked-at step the median over weights of |update| / |weight|."""
    rows = [
        h.update.values
        for h in vitals.histories.values()
        if h.optimizer is record and h.is_weight and h.update.values
    ]
    length = min((len(r) for r in rows), default=0)
    return [median(r[k] for r in rows) for k in range(length)]


def is_usual(rate: float | None) -> bool:
    """Whether a rate is one that people use, so that it is not to blame."""
    return rate is not None and rate <= 1e-2


def steep(vitals: Vitals, record: OptimizerRecord) -> bool:
    """Whether gradients are far larger than the weights they belong to, from the start."""
    for h in vitals.histories.values():
        if h.optimizer is record and h.is_weight and len(h.gradient.values) >= 2:
            weight = h.weight.values[0]
            if weight > 0 and h.gradient.values[0] > STEEP * weight:
                return True
    return False


__all__ = ["NOT_JUDGED", "is_usual", "steep", "update_ratios"]
