"""decay-on-norms: weight decay pulls the scales of normalisation layers towards zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn.modules import batchnorm, normalization
from ..finding import NOTE, Finding
from ..run import OptimizerRecord
from ..vitals import History, Vitals, rms, sample
from .base import Rule

NORMS = (batchnorm._NormBase, normalization.LayerNorm, normalization.GroupNorm)
STRONG = 0.05  # decay per step and rate
SHRUNK = 0.7  # of the first scale


class DecayOnNorms(Rule):
    """Watches the weights of normalisation layers in groups with a weight decay of 0.05 and more:
    they have lost a third of their size. A note, never more: many good trainings do that.

    Silent: smaller decays, scales that keep their size, groups without decay.
    """

    id = "decay-on-norms"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._vitals: Vitals = run.shared(Vitals)

    def findings(self) -> Iterator[Finding]:
        norms = {
            id(m.weight)
            for m, _ in self.run.living_modules()
            if isinstance(m, NORMS) and m.weight is not None
        }
        for record in self.run.optimizers:
            found = [h for p, h in self._decayed(record) if id(p) in norms]
            if found:
                yield Finding(
                    self.id,
                    NOTE,
                    record.position,
                    f"weight decay of {record.kind} shrinks the scales of {len(found)} "
                    "normalisation layers",
                    [f"from {found[0].weight.values[0]:.2g} to {_now(found[0]):.2g}"],
                    "a second group for parameters with p.ndim < 2, with weight_decay=0",
                )

    def _decayed(self, record: OptimizerRecord) -> Iterator[tuple[Any, History]]:
        optimizer = record.ref()
        for group in [] if optimizer is None else optimizer.param_groups:
            if float(group.get("weight_decay") or 0) < STRONG:
                continue
            for p in group["params"]:
                history = self._vitals.histories.get(id(p))
                if history is not None and history.weight.values:
                    if 0 < _now(history) < SHRUNK * history.weight.values[0]:
                        yield p, history


def _now(history: History) -> float:
    a = sample(history.ref())
    return 0.0 if a is None else rms(a)
