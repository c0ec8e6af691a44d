"""dead-relu: units that are zero for every sample and never come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import WARNING, Finding
from .base import Rule
from .guessing import Guessing
from .units import RECTIFIERS, Layer, Units

NEARLY_ALL, MOST = 0.9, 0.7
AT_START = 0.5
ENOUGH = 10  # passes


class DeadRelu(Rule):
    """Watches the results of ReLUs, unit by unit (a channel for images): zero for every sample of
    every pass that was looked at. More than 90 % of a layer's units, or more than 70 % while
    the loss does not fall.

    Silent: sparse activations (half the *entries* of a healthy layer are zero), a few dead units,
    runs that learn with up to 90 % of them, batches whose samples are all alike.
    """

    id = "dead-relu"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._guessing: Guessing = run.shared(Guessing)
        self._units: Units = run.shared(Units)

    def findings(self) -> Iterator[Finding]:
        learns = self._guessing.is_outdone()
        worst: Layer | None = None
        for layer in self._units.layers.values():
            if layer.op not in RECTIFIERS or layer.passes < ENOUGH or layer.dead.size < 4:
                continue
            share = float(layer.dead.mean())
            if share < 1 and not layer.varied:
                continue  # every sample is the same: constant-output speaks of that
            if share > NEARLY_ALL or (share > MOST and not learns):
                if worst is None or share > float(worst.dead.mean()):
                    worst = layer
        if worst is None:
            return
        dead = int(worst.dead.sum())
        born_dead = worst.dead_at_start > AT_START and worst.written.line
        yield Finding(
            self.id,
            WARNING,
            worst.written if born_dead else worst.position,
            f"{dead} of the {worst.dead.size} units of this {worst.op} are dead",
            [
                f"they were 0 for every sample in {worst.passes} passes, so their gradient is 0 "
                "and nothing can revive them",
                *self._behind(worst),
            ],
            "a smaller learning rate or bias, another initialisation, or LeakyReLU",
        )

    def _behind(self, layer: Layer) -> list[str]:
        for module, position in self.run.living_modules():
            if any(id(p) == layer.before for p in module._parameters.values()):
                return [f"their inputs come from {type(module).__name__} made at {position.short}"]
        return []
