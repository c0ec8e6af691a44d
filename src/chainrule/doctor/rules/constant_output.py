"""constant-output: the same answer for every sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..finding import WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from .base import Rule

SAME = 1e-4  # spread over the batch, relative to the size of outputs or targets
ENOUGH = 8
ROWS, COLUMNS = 64, 64  # that are compared
LOSSES = {"mse_loss", "cross_entropy", "smooth_l1_loss", "huber_loss", "bce_with_logits",
          "binary_cross_entropy", "l1_loss", "bce"}  # fmt: skip


class ConstantOutput(Rule):
    """Watches the predictions that go into a loss: they do not differ between the samples of a
    batch, pass after pass, although the targets do, and the loss does not fall (where they are
    equal to the last digit in every pass, a falling loss is the noise of the data).

    Silent: first steps, runs that learn, targets that are all alike, anything that another rule
    explains.
    """

    id = "constant-output"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._same: dict[Position, tuple[int, int, float]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site < 3:
            return
        for v in this.of(*LOSSES):
            saved = v.saved()
            x, target = saved.get("x"), saved.get("y", saved.get("target"))
            if not isinstance(x, np.ndarray) or x.ndim < 1 or x.shape[0] < 4:
                continue
            if not isinstance(target, np.ndarray) or target.ndim < 1 or not target.size:
                continue
            x, target = _some(x), _some(target)
            if not _varies(target, 1e-3):
                continue
            same, seen, _ = self._same.get(of_node(v.node), (0, 0, 0.0))
            flat = x.reshape(x.shape[0], -1).astype(np.float64)
            spread = float(flat.std(0).max())
            self._same[of_node(v.node)] = (same + (not _varies(x, SAME)), seen + 1, spread)

    def findings(self) -> Iterator[Finding]:
        learns = self.run.learns()
        for where, (same, seen, spread) in self._same.items():
            if learns and (same < seen or spread > 0):
                continue
            if same >= ENOUGH and same >= 0.8 * seen:
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    "the model gives the same answer for every sample",
                    [
                        f"its outputs differ by {spread:.2g} within a batch, in {same} of {seen} "
                        "passes, while the targets differ"
                    ],
                    "look at the inputs, the activations and the learning rate",
                )


def _some(x: np.ndarray) -> np.ndarray:
    """At most a few rows and columns, evenly spread."""
    flat = x.reshape(x.shape[0], -1)
    return flat[:: max(1, flat.shape[0] // ROWS), :: max(1, flat.shape[1] // COLUMNS)]


def _varies(x: np.ndarray, share: float) -> bool:
    flat = x.reshape(x.shape[0], -1).astype(np.float64)
    if not np.isfinite(flat).all():
        return True
    size = float(np.abs(flat).max())
    return float(flat.std(0).max()) > share * max(size, 1e-3)
