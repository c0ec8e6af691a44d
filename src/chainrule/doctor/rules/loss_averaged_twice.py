"""loss-averaged-twice: a mean over the batch is divided by the size of the batch once more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..finding import WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from .accumulation import is_plain_mean
from .base import Rule

ENOUGH = 5
SMALLEST = 4  # batches of two or three may as well be divided by a number of tasks


class LossAveragedTwice(Rule):
    """Watches a loss that is a mean and is then divided by exactly the number of rows of the batch,
    with one backward pass per step.

    Silent: sums divided by the number of rows, accumulation (several passes per step), other
    divisors.
    """

    id = "loss-averaged-twice"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._seen: dict[Position, tuple[int, int]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.tape.root.op not in ("div", "mul") or this.seeded:
            return
        root = this.tape.root
        divisor, rows = _divisor(root), 0
        if divisor is not None and len(root.inputs) == 1 and is_plain_mean(root.inputs[0].parent):
            rows = _rows(root.inputs[0].parent)
        if rows >= SMALLEST and divisor is not None and abs(divisor - rows) < 1e-3 * rows:
            count, _ = self._seen.get(of_node(root.node), (0, 0))
            self._seen[of_node(root.node)] = (count + 1, rows)

    def findings(self) -> Iterator[Finding]:
        if self.run.passes > 1.5 * self.run.steps:
            return
        for where, (count, rows) in self._seen.items():
            if count >= ENOUGH:
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    f"the loss is a mean over {rows} rows and is divided by {rows} again: "
                    f"gradients are {rows} times too small",
                    [f"so it was in {count} passes that were looked at"],
                    "leave the division out, or use reduction='sum'",
                )


def _divisor(v: Vertex) -> float | None:
    value = v.saved().get("b")
    if isinstance(value, np.ndarray):
        value = float(value) if value.size == 1 else None
    if not isinstance(value, int | float) or not value:
        return None
    return float(value) if v.op == "div" else 1 / float(value)


def _rows(v: Vertex) -> int:
    saved = v.saved()
    for name in ("target", "y", "x"):
        if isinstance(saved.get(name), np.ndarray) and saved[name].ndim:
            return int(saved[name].shape[0])
    shape = saved.get("x_shape")
    return int(shape[0]) if shape else 0
