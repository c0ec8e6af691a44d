"""unscaled-input: raw data whose size keeps a model from learning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..calls import Calls
from ..finding import WARNING, Finding
from ..positions import Position
from ..run import Pass, is_finite
from ..vitals import Vitals
from .base import Rule
from .guessing import Guessing
from .learning_rate import is_usual

FAR, LARGEST, UNEVEN = 30.0, 100.0, 1e3
ENOUGH, LOOKED_AT = 8, 12  # passes of a site
LAYERS = {"linear", "linear_no_bias", "matmul", "mm", "addmm", "lstm_layer", "gru_layer",
          "rnn_layer", "convolution", "convolution_no_bias"}  # fmt: skip


class UnscaledInput(Rule):
    """Watches what goes into the first linear layer or convolution: features with a mean or spread
    above 30, values above 100, or spreads that differ a thousandfold, while the loss does not
    fall, or falls while the model answers all samples alike or its units are dead or saturated.

    Silent: runs that learn anyway, indices of embeddings, one-hot vectors, models whose first
    layer is a normalisation.
    """

    id = "unscaled-input"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._guessing: Guessing = run.shared(Guessing)
        self._vitals: Vitals = run.shared(Vitals)
        self._calls: Calls = run.shared(Calls)
        self._seen: dict[Position, tuple[int, str]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or not is_finite(this.value) or this.in_site >= LOOKED_AT:
            return
        for v in this.of(*LAYERS):
            x = _data(v)
            seen = None if x is None else describe(x)
            if seen is not None:
                where = self._calls.called_at(v)
                count, _ = self._seen.get(where, (0, ""))
                self._seen[where] = (count + 1, seen)

    def findings(self) -> Iterator[Finding]:
        if self.run.steps < ENOUGH:
            return
        learns = self._guessing.is_outdone()
        enough = 1 if self._ended() else ENOUGH
        for where, (count, seen) in self._seen.items():
            if count < enough:
                continue
            yield Finding(
                self.id,
                WARNING,
                where,
                "the inputs of the model are not scaled, and it does not learn from them",
                [
                    f"{seen}, in {count} passes",
                    *([] if learns else ["the loss does not fall below that of a guess"]),
                ],
                "x = (x - x.mean(0)) / x.std(0)  # of the training data",
                only_as_cause=learns,
            )
            return

    def _ended(self) -> bool:
        """Whether some loss left all bounds soon, and not for a rate that would do that alone."""
        usual = all(is_usual(self._vitals.rates.get(id(r))) for r in self.run.optimizers)
        return usual and any(
            site.losses.diverges() or not math.isfinite(site.losses.last)
            for site in self.run.sites.values()
        )


def _data(v: Vertex) -> np.ndarray | None:
    """The operand of a layer that no gradient flows to: the data itself."""
    if any(link.position == 0 for link in v.inputs):
        return None
    x = v.saved().get("x", v.saved().get("a"))
    if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or x.size == 0 or x.ndim < 2:
        return None
    return x


def describe(x: np.ndarray) -> str | None:
    """What is wrong with the size of a batch, or None."""
    if not np.isfinite(x).all():
        return None
    axis = tuple(range(x.ndim - 1)) if x.ndim == 2 else tuple(k for k in range(x.ndim) if k != 1)
    mean, spread = np.abs(x.mean(axis)), x.std(axis)
    if float(np.abs(x).max()) > LARGEST:
        return f"values reach {float(np.abs(x).max()):.4g}"
    if float(mean.max()) > FAR or float(spread.max()) > FAR:
        return f"a feature has mean {float(mean.max()):.3g}, another spreads by {spread.max():.3g}"
    positive = spread[spread > 1e-6 * mean]  # constant features spread by rounding alone
    if positive.size > 1 and float(positive.max() / positive.min()) > UNEVEN:
        return f"features spread from {positive.min():.2g} to {positive.max():.3g}"
    return None
