"""How much of the gradient reaches the first steps of a sequence; part of vanishing-gradient.

A weight that is used again and again in one pass is a recurrence. In two passes of a run the
gradients at its uses are computed once more, the first use beside the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...reading.gradients import Cotangents, cotangents
from ...reading.nodes import Tape, Vertex
from ..positions import Position, of_node
from ..run import Pass, Run
from .units import SQUASHERS

LOOKED_AT = (2, 12)  # passes of a site
USES = 8
MOST_NODES = 4_000
LINEAR = ("linear", "linear_no_bias", "matmul", "mm", "addmm")


class Recurrence:
    """The smallest share of the gradient at the first step of a sequence, by line."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.shares: dict[Position, list[tuple[float, int]]] = {}  # share, steps

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site not in LOOKED_AT or this.create or this.seeded:
            return
        if len(this.nodes) > MOST_NODES or len(this.roots) != 1:
            return
        repeated = _repeated(this)
        layers = this.of("rnn_layer")
        if not repeated and not layers:
            return
        found = _gradients(this.tape)
        if found is None:
            return
        for uses in repeated:
            self._note(_line(uses[len(uses) // 2]), _share(uses, found), len(uses))
        for v in layers:
            share, steps = _share_of_layer(v, found)
            self._note(of_node(v.node), share, steps)

    def _note(self, where: Position, share: float, steps: int) -> None:
        if where.is_users:
            self.shares.setdefault(where, []).append((share, steps))


def _repeated(this: Pass) -> list[list[Vertex]]:
    """The uses of each weight that is used often, the earliest first."""
    uses: dict[int, list[Vertex]] = {}
    for v in this.of(*LINEAR):
        for link in v.inputs:
            leaf = link.parent.leaf
            if leaf is not None and leaf.ndim == 2 and leaf.shape[0] == leaf.shape[1]:
                uses.setdefault(id(leaf), []).append(v)
    return [found[::-1] for found in uses.values() if len(found) >= USES]


def _gradients(tape: Tape) -> Cotangents | None:
    try:
        return cotangents(tape)
    except (RuntimeError, TypeError, ValueError):
        return None


def _share(uses: list[Vertex], found: Cotangents) -> float:
    first, last = (found.of(v) for v in (uses[1], uses[-1]))  # the first sees no state
    if first is None or last is None or not np.abs(last).max() > 0:
        return 1.0
    return float(np.linalg.norm(first) / np.linalg.norm(last))


def _share_of_layer(v: Vertex, found: Cotangents) -> tuple[float, int]:
    """For `nn.RNN`, whose steps are one op: what is left of the last step's gradient at the
    first, if the loss looks at the last one only."""
    saved = v.saved()
    out, weight, sizes = saved.get("out0"), saved.get("w_hh"), saved.get("sizes")
    if not isinstance(out, np.ndarray) or not isinstance(weight, np.ndarray) or not sizes:
        return 1.0, 0
    steps, rows = len(sizes), sizes[0]
    if len(set(sizes)) > 1 or out.size != steps * rows * weight.shape[1] or saved.get("relu"):
        return 1.0, steps
    states = _by_step(out, steps, rows, saved)
    g = found.of(v, 1)
    outer = found.of(v, 0)
    if outer is not None:
        by_step = _by_step(outer, steps, rows, saved)
        if np.abs(by_step[:-1]).any():
            return 1.0, steps
        g = by_step[-1] if g is None else g.reshape(rows, -1) + by_step[-1]
    if g is None or not np.abs(g).max() > 0:
        return 1.0, steps
    g = g.reshape(rows, -1).astype(np.float64)
    begin = np.linalg.norm(g)
    for state in states[:0:-1]:
        g = (g * (1 - state.astype(np.float64) ** 2)) @ weight
    return float(np.linalg.norm(g) / begin), steps


def _by_step(a: np.ndarray, steps: int, rows: int, saved: Any) -> np.ndarray:
    """What a layer gave at each step; `apart` ones lie sequence by sequence."""
    if saved.get("apart"):
        return a.reshape(rows, steps, -1).swapaxes(0, 1)
    return a.reshape(steps, rows, -1)


def _line(v: Vertex) -> Position:
    """The activation behind a use, or the use itself."""
    w = v
    for _ in range(3):
        if not w.uses:
            break
        w = w.uses[0].child
        if w.op in SQUASHERS:
            return of_node(w.node)
    return of_node(v.node)


__all__ = ["Recurrence"]
