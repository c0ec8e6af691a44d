"""double-softmax: probabilities are put through softmax once more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..calls import Calls
from ..finding import WARNING, Finding
from ..positions import Position
from ..run import Pass
from .base import Rule
from .loss_activation import is_written_out, producer

ENOUGH = 3
SHARPENS = 2.0  # probabilities times as much differ enough for scores


class DoubleSoftmax(Rule):
    """Watches softmax and log_softmax whose operand is itself the result of softmax along the same
    axis: the second flattens the first, and the loss can never become small.

    Silent: temperatures that sharpen and logarithms in between, attention weights that are
    multiplied first, softmax over different axes, log_softmax twice (which changes nothing).
    """

    id = "double-softmax"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._calls: Calls = run.shared(Calls)
        self._seen: dict[Position, tuple[int, str, Position]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        for v in this.of("softmax", "log_softmax"):
            inner = self._before(v)
            if inner is None or inner.op != "softmax" or _axis(inner) != _axis(v):
                continue
            where = self._calls.place(v)
            if not is_written_out(where):
                continue  # cross_entropy made of parts: loss-activation-mismatch
            count = self._seen.get(where, (0,))[0]
            self._seen[where] = (count + 1, v.op, self._calls.place(inner))

    def _before(self, v: Vertex) -> Vertex | None:
        """What made the operand, seen through a temperature that does not sharpen."""
        inner = producer(v)
        if v.op == "log_softmax" and inner is not None and inner.op in ("mul", "div"):
            by = _factor(inner)
            if by is not None and abs(by) <= SHARPENS:
                return producer(inner)
        return inner

    def findings(self) -> Iterator[Finding]:
        for where, (count, op, first) in self._seen.items():
            if count >= ENOUGH:
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    f"{op} of what softmax has made already: all classes become nearly equal",
                    [f"the first softmax is at {first.short}; seen in {count} passes"],
                    "apply softmax once: hand the raw scores to the loss",
                )


def _factor(v: Vertex) -> float | None:
    """The number that a node multiplies by, or None."""
    if len(v.inputs) != 1 or v.inputs[0].position != 0:
        return None
    known = v.saved().get("b")
    if not isinstance(known, np.ndarray | np.number | int | float) or np.size(known) != 1:
        return None
    number = float(np.reshape(known, -1)[0])
    return number if v.op == "mul" else 1 / number if number else None


def _axis(v: Vertex) -> Any:
    axis = v.parameters().get("axis", v.saved().get("axis"))
    out = v.saved_array("out")
    axis = axis[0] if isinstance(axis, tuple) and axis else axis
    return axis % out.ndim if out is not None and isinstance(axis, int) and out.ndim else axis
