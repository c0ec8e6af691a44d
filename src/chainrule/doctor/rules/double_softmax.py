"""double-softmax: probabilities are put through softmax once more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...reading.nodes import Vertex
from ..calls import Calls
from ..finding import WARNING, Finding
from ..positions import Position
from ..run import Pass
from .base import Rule
from .loss_activation import is_written_out, producer

ENOUGH = 3


class DoubleSoftmax(Rule):
    """Watches softmax and log_softmax whose operand is itself the result of softmax along the same
    axis: the second flattens the first, and the loss can never become small.

    Silent: temperatures and logarithms in between, attention weights that are multiplied first,
    softmax over different axes, log_softmax twice (which changes nothing).
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
            inner = producer(v)
            if inner is None or inner.op != "softmax" or _axis(inner) != _axis(v):
                continue
            where = self._calls.place(v)
            if not is_written_out(where):
                continue  # cross_entropy made of parts: loss-activation-mismatch
            count = self._seen.get(where, (0,))[0]
            self._seen[where] = (count + 1, v.op, self._calls.place(inner))

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


def _axis(v: Vertex) -> Any:
    axis = v.parameters().get("axis", v.saved().get("axis"))
    out = v.saved_array("out")
    axis = axis[0] if isinstance(axis, tuple) and axis else axis
    return axis % out.ndim if out is not None and isinstance(axis, int) and out.ndim else axis
