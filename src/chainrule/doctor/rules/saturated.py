"""saturated-activation: tanh and sigmoid at their flat ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import WARNING, Finding
from .base import Rule
from .guessing import Guessing
from .units import Layer, Units

MOST, NEARLY_ALL = 0.8, 0.9
FAR = 0.9  # a loss that fell by as much is fine
ENOUGH = 10


class SaturatedActivation(Rule):
    """Watches tanh and sigmoid inside the model: more than 80 % of their results at the flat ends
    (beyond ±0.99, outside 0.01 to 0.99) from the first step on, while the loss does not
    fall; more than 90 % while it falls by less than 90 %: the last layer alone learns.

    Silent: outputs that go into the loss (a good classifier saturates), gates of LSTM and GRU,
    runs that learn.
    """

    id = "saturated-activation"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._guessing: Guessing = run.shared(Guessing)
        self._units: Units = run.shared(Units)

    def findings(self) -> Iterator[Finding]:
        if self._guessing.is_outdone(FAR) or self.run.steps < ENOUGH:
            return
        most = NEARLY_ALL if self._guessing.is_outdone() else MOST
        worst: tuple[float, Layer] | None = None
        for layer in self._units.layers.values():
            shares = layer.saturated
            if len(shares) < ENOUGH or shares[0] <= most:
                continue
            if sum(s > most for s in shares) < 0.8 * len(shares):
                continue
            share = sorted(shares)[len(shares) // 2]
            if worst is None or share > worst[0]:
                worst = (share, layer)
        if worst is None:
            return
        share, layer = worst
        op = "tanh" if layer.op == "rnn_layer" else layer.op
        yield Finding(
            self.id,
            WARNING,
            layer.written if layer.written.line else layer.position,
            f"{op} is saturated: {share:.0%} of its results lie at the flat ends",
            [f"so it was in {len(layer.saturated)} passes; its slope there is nearly 0"],
            "scale the inputs or the initial weights down, or normalise before the activation",
        )
