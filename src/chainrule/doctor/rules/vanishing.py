"""vanishing-gradient: the first layers get next to nothing."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Any

from ..finding import NOWHERE, WARNING, Finding
from ..positions import Position
from ..run import Pass
from ..vitals import History, Vitals
from .base import Rule
from .census import listed
from .guessing import Guessing
from .recurrence import Recurrence
from .units import SQUASHERS, Units

RATIO, SMALL = 1e-3, 1e-4
NOTHING, SOME = 1e-7, 10.0  # such gradients have vanished at ten times the ratio
ENOUGH = 10
LONG, FLAT = 40, 0.05  # steps, and the fall of a loss, for sequences
FORGOTTEN = 1e-4  # share of the gradient at the first step
LAYERS, DEEP = 4, 10
UNDERFLOW = 1e-20
EARLY = 20  # steps that are looked at


class VanishingGradient(Rule):
    """Watches the gradients of the weights in the order of the forward pass, each relative to its
    weights: the first layers' are a thousand times smaller than the last ones', falling layer by
    layer, and the loss does not fall. In a recurrence the first steps beside the last.

    Silent: runs that learn, converged runs (all gradients are small there, alike), layers whose
    gradient is exactly zero (dead units or a zero initialisation speak of those), embeddings, most
    of whose rows a batch does not use.
    """

    id = "vanishing-gradient"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._guessing: Guessing = run.shared(Guessing)
        self._vitals: Vitals = run.shared(Vitals)
        self._units: Units = run.shared(Units)
        self._recurrence: Recurrence = run.shared(Recurrence)
        self._embedded: set[int] = set()

    def pass_begins(self, this: Pass) -> None:
        self._embedded |= {
            id(link.parent.leaf)
            for v in this.of("embedding", "embedding_bag")
            for link in v.inputs
            if link.parent.leaf is not None
        }

    def findings(self) -> Iterator[Finding]:
        if self.run.steps < ENOUGH or self._guessing.is_outdone():
            return
        found = next(self._by_layer(), None) or next(self._over_time(), None)
        if found is not None:
            yield found

    def _over_time(self) -> Iterator[Finding]:
        if self.run.steps < LONG or self._guessing.is_outdone(FLAT):
            return
        for where, shares in self._recurrence.shares.items():
            if len(shares) > 1 and all(share < FORGOTTEN for share, _ in shares):
                share, steps = shares[-1]
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    "gradients vanish on the way to the first steps of the sequence",
                    [
                        f"{share:.2g} of the gradient at the last of {steps} steps reaches the "
                        "first",
                        "the loss does not fall below that of a guess",
                    ],
                    "nn.LSTM or nn.GRU instead, or tanh with an orthogonal recurrent weight",
                )

    def _by_layer(self) -> Iterator[Finding]:
        weights = [
            (k, h)
            for k, h in self._vitals.weights()
            if h.gradient.values and k not in self._embedded
        ]
        if len(weights) < LAYERS:
            return
        sizes = [_relative(h) for _, h in weights]
        first, last = sizes[0], max(sizes[-3:])
        smallest = min((s for s in sizes if s > 0), default=1.0)
        if first == 0 and smallest < UNDERFLOW:  # they fell until nothing was left
            first = smallest
        nothing = median(weights[0][1].gradient.values[:EARLY]) < NOTHING
        ratio = SOME * RATIO if nothing or self._starves(sizes) else RATIO
        if not 0 < first < ratio * last or median(weights[0][1].gradient.values[:EARLY]) > SMALL:
            return
        falling = sum(a < b or a == b == 0 for a, b in itertools.pairwise(sizes))
        starved = sum(s < ratio * last for s in sizes)  # small weights shrink both passes alike
        if falling < 0.6 * (len(sizes) - 1) and starved < 0.6 * len(sizes):
            return
        names = self.run.names()
        low = [h.ref() for (_, h), s in zip(weights, sizes, strict=True) if s < ratio * last]
        low = [p for p in low if p is not None]
        where = self._where(low)
        yield Finding(
            self.id,
            WARNING,
            where,
            f"gradients vanish on the way to {listed(low, names)}",
            [
                f"relative to their weights the gradients fall from {last:.2g} in the last layers "
                f"to {first:.2g} in the first, over {len(sizes)} layers",
                "the loss does not fall below that of a guess",
            ],
            "ReLU instead of sigmoid or tanh, a normalisation or skip connections between layers",
            curves={"gradient by layer": [(float(k), s) for k, s in enumerate(sizes)]},
        )

    def _starves(self, sizes: list[float]) -> bool:
        """Whether half of many layers get next to nothing while the loss does not move at all."""
        starved = sum(s < SOME * RATIO * max(sizes[-3:]) for s in sizes)
        deep = len(sizes) >= DEEP and 2 * starved >= len(sizes)
        return deep and self.run.steps >= LONG and not self.run.learns(FLAT)

    def _where(self, low: list[Any]) -> Position:
        """The activation after most of these layers, or the line that set or made them."""
        ids = {id(p) for p in low}
        lines = Counter(
            layer.weight_set if layer.weight_set.line else layer.position
            for layer in self._units.layers.values()
            if layer.before in ids and layer.op in SQUASHERS
        )
        if lines:
            return lines.most_common(1)[0][0]
        return self.run.made_at(low[0]) if low else NOWHERE


def _relative(history: History) -> float:
    """While the loss is still far from its floor: late gradients are small everywhere."""
    weight = median(history.weight.values[:EARLY])
    return median(history.gradient.values[:EARLY]) / weight if weight > 0 else 0.0
