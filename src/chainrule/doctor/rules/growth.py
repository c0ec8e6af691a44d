"""What makes gradients grow: weights that multiply, set by the program, or an op done again and
again; part of exploding-gradient."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from ...reading.nodes import Vertex
from ..calls import Calls
from ..positions import Position, of_node
from ..run import Pass, Run
from ..vitals import rms, sample
from .writers import Writers

GROWS = 1.5  # times 1/sqrt(fan-in): a layer of such weights makes more of what it is given
AGAIN = 5  # times that one line is recorded in a pass
MULTIPLY = ("linear", "linear_no_bias", "matmul", "mm", "addmm", "bmm", "mul", "pow", "add")


class Growth:
    """The line that makes the gradients of a loss grow, by the line of its backward()."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.causes: dict[Position, tuple[Position, str]] = {}
        self._writers: Writers = run.shared(Writers)
        self._calls: Calls = run.shared(Calls)

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site:
            return  # later the weights are no longer what the program made them
        found = self._weights(this) or self._repeated(this)
        if found is not None:
            self.causes[this.site.position] = found

    def _weights(self, this: Pass) -> tuple[Position, str] | None:
        """The line that gave the weights their size that multiply most."""
        growth: dict[int, float] = {}
        uses: dict[int, tuple[Any, Vertex, bool]] = {}
        for v in this.nodes:
            for link in v.inputs:
                leaf = link.parent.leaf
                if leaf is not None and leaf.ndim >= 2 and v.op != "embedding":
                    turned = link.position == 1 and v.op in ("matmul", "mm", "addmm")
                    uses[id(leaf)] = (leaf, v, turned)
                    growth[id(leaf)] = growth.get(id(leaf), 0.0) + _excess(leaf, turned)
        best = max(growth, key=lambda k: growth[k], default=0)
        if not best or growth[best] <= 0:
            return None
        leaf, v, turned = uses[best]
        written = self._writers.of(leaf)
        where = written if written.is_users else self.run.made_at(leaf)
        times = math.exp(_excess(leaf, turned)) * GROWS
        seen = f"the weights are {times:.2g} times 1/sqrt(fan-in): every use of them multiplies"
        return (where if where.is_users else of_node(v.node)), seen

    def _repeated(self, this: Pass) -> tuple[Position, str] | None:
        """The program's own line that multiplies most often."""
        lines: Counter[Position] = Counter()
        for v in reversed(this.of(*MULTIPLY)):
            at = of_node(v.node)
            if at.is_users and self._calls.place(v) == at:
                lines[at] += 1
        if not lines:
            return None
        where, count = lines.most_common(1)[0]
        return (where, f"it is done {count} times in a row") if count >= AGAIN else None


def _excess(leaf: Any, turned: bool) -> float:
    """The logarithm of what one use multiplies by, beyond what is usual; 0 for usual weights."""
    w = sample(leaf)
    fan_in = leaf.shape[0] if turned else math.prod(leaf.shape[1:])
    size = 0.0 if w is None else rms(w) * math.sqrt(fan_in)
    return math.log(size / GROWS) if size > GROWS else 0.0


__all__ = ["Growth"]
