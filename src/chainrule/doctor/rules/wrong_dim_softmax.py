"""wrong-dim-softmax: probabilities that compete over the batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..finding import ERROR, Finding
from ..positions import Position, of_node
from ..run import Pass
from .base import Rule

ENDS = {"nll_loss", "cross_entropy", "mse_loss", "binary_cross_entropy", "gather", "mul"}


class WrongDimSoftmax(Rule):
    """Watches softmax and log_softmax over axis 0 of a tensor whose axis 0 is the batch (as many
    rows as the loss has targets), when the result goes into the loss.

    Silent: tensors without a batch axis, attention over the first axis of (time, batch) data,
    losses that are normalised over both axes on purpose (both are then in the graph).
    """

    id = "wrong-dim-softmax"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: dict[Position, tuple[int, str, tuple[int, ...], float]] = {}
        self._both: set[tuple[Any, ...]] = set()

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        softmaxes = [v for v in this.tape.nodes if v.op in ("softmax", "log_softmax")]
        for v in softmaxes:
            axis = v.parameters().get("axis", v.saved().get("axis"))
            out = v.saved_array("out")
            if out is None or out.ndim < 2 or axis is None:
                continue
            axis = axis[0] if isinstance(axis, tuple) else axis
            if axis % out.ndim != 0 or out.shape[0] < 2:
                continue
            others = [w for w in softmaxes if w is not v and _same_input(v, w)]
            if any(_axis(w) not in (None, 0) for w in others):
                continue
            if not self._is_batch(v, out):
                continue
            where = of_node(v.node)
            count = self._found.get(where, (0,))[0] + 1
            sums = _probabilities(v, out).sum(-1)
            self._found[where] = (count, v.op, out.shape, float(np.abs(sums - 1).mean()))

    def _is_batch(self, v: Vertex, out: np.ndarray) -> bool:
        """Whether the loss has one target per row: the result meets integer targets of length N."""
        w: Vertex | None = v
        for _ in range(6):
            users = list({id(link.child): link.child for link in w.uses}.values()) if w else []
            if len(users) != 1:
                return False
            w = users[0]
            if w.op in ("log", "neg") or w.node.op.view:
                continue
            if w.op == "index_get":
                return any(getattr(k, "shape", None) == out.shape[:1] for k in w.saved()["indices"])
            if w.op not in ENDS or (w.op == "mul" and len(w.inputs) > 1):
                return False  # weights of an attention
            saved = w.saved()
            target = saved.get("target", saved.get("index", saved.get("y", saved.get("a"))))
            shape = getattr(target, "shape", ())
            return shape == out.shape if w.op == "mul" else shape[:1] == out.shape[:1]
        return False

    def findings(self) -> Iterator[Finding]:
        for where, (count, op, shape, off) in self._found.items():
            if off < 1e-3:
                continue
            yield Finding(
                self.id,
                ERROR,
                where,
                f"{op} over dim 0 of {list(shape)}: the samples of a batch compete with each "
                "other, not the classes",
                [f"the probabilities of a sample are off 1 by {off:.2g} in sum, {count} times"],
                f"{op}(..., dim=-1)",
            )


def _axis(v: Vertex) -> int | None:
    axis = v.parameters().get("axis", v.saved().get("axis"))
    if isinstance(axis, tuple):
        axis = axis[0] if axis else None
    return axis


def _same_input(a: Vertex, b: Vertex) -> bool:
    first = [link.parent for link in a.inputs]
    second = [link.parent for link in b.inputs]
    return bool(first) and bool(second) and first[0] is second[0]


def _probabilities(v: Vertex, out: np.ndarray) -> np.ndarray:
    return np.exp(out.astype(np.float64)) if v.op == "log_softmax" else out.astype(np.float64)
