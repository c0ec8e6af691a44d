"""bad-initialization: weights that cannot begin to learn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..finding import WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from ..vitals import Vitals, sample
from .base import Rule, array
from .census import listed
from .guessing import Guessing
from .writers import Writers

WIDE, NARROW = 10.0, 0.01  # times 1/sqrt(fan-in)
BROAD = 4.0  # is much as well, where guessing is far better to the end
LARGE = 0.5
FAR_OFF = 1.5  # times the loss of a guess
ENOUGH = 5


class BadInitialization(Rule):
    """Watches the weights at the first pass: hidden units that are all alike (their gradients are
    alike for ever), hidden weights that are all zero, and spreads far from 1/sqrt(fan-in); when
    the loss does not fall, or the units stay alike.

    Silent: zero biases, models of one layer, output layers that begin at zero while every other
    weight gets gradients, embeddings, runs that learn with odd spreads.
    """

    id = "bad-initialization"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._vitals: Vitals = run.shared(Vitals)
        self._found: dict[int, tuple[str, str, Position, Any]] = {}
        self._writers: Writers = run.shared(Writers)
        self._embedded: set[int] = set()
        self._used: dict[int, Position] = {}  # the line that uses a leaf
        self._guessing: Guessing = run.shared(Guessing)
        self._turned: set[int] = set()  # leaves with a unit per column: `x @ w`

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site or not self.run.optimizers:
            return
        held = self.run.in_optimizers()
        weights: list[tuple[Any, Vertex, int]] = []
        for v in this.nodes:
            for link in v.inputs:
                leaf = link.parent.leaf
                if leaf is None or id(leaf) not in held or leaf.ndim < 2:
                    continue
                if v.op == "embedding":
                    self._embedded.add(id(leaf))
                elif not any(leaf is w for w, _, _ in weights):
                    weights.append((leaf, v, link.position))  # the latest use first
        if len(weights) < 2:
            return
        for k, (leaf, v, position) in enumerate(weights):
            if id(leaf) not in self._embedded:
                turned = position == 1 and leaf.ndim == 2 and v.op in ("matmul", "mm", "addmm")
                self._judge(leaf, of_node(v.node), is_last=k == 0, turned=turned)

    def _judge(self, leaf: Any, used: Position, is_last: bool, turned: bool) -> None:
        w = array(leaf)
        if w is None or w.shape[0] < 2 or w.dtype.kind != "f":
            return
        flat = units_of(w, turned)
        if len(flat) < 2:
            return  # one unit has none to be like
        scale = 1 / math.sqrt(flat.shape[1])
        some = sample(leaf)
        spread = 0.0 if some is None else float(some.std())
        if not flat[0].any() and not flat.any():
            kind = "" if is_last else "zero"
        elif flat.shape[1] > 1 and bool((flat[1] == flat[0]).all() and (flat == flat[0]).all()):
            kind = "alike"
        elif spread > BROAD * scale and spread > LARGE:
            kind = "wide" if spread > WIDE * scale else "broad"
        elif spread < NARROW * scale:
            kind = "narrow"
        else:
            return
        if kind:
            seen = {
                "zero": "all weights are 0",
                "alike": f"all {flat.shape[0]} units have the same weights",
                "wide": f"the weights spread by {spread:.3g}, {spread / scale:.0f} times "
                "1/sqrt(fan-in)",
                "broad": f"the weights spread by {spread:.3g}, {spread / scale:.1f} times "
                "1/sqrt(fan-in)",
                "narrow": f"the weights spread by {spread:.2g}, {spread / scale:.1g} times "
                "1/sqrt(fan-in)",
            }[kind]
            self._found[id(leaf)] = (kind, seen, self._writers.of(leaf), leaf)
            self._used[id(leaf)] = used
            if turned:
                self._turned.add(id(leaf))

    def findings(self) -> Iterator[Finding]:
        if not self._found or self.run.steps < ENOUGH:
            return
        learns = self.run.learns() and not self._guessing.is_better(FAR_OFF)
        judged = [
            (self._is_bad(kind, leaf, learns), kind, seen, where, leaf)
            for kind, seen, where, leaf in self._found.values()
        ]
        is_bad = any(bad for bad, *_ in judged)
        bad = [
            (seen, where, leaf)
            for bad, kind, seen, where, leaf in judged
            if bad or (kind == "wide" and not is_bad)
        ]
        if not bad:
            return
        names = self.run.names()
        seen, where, leaf = bad[-1]  # the layer used first
        made = self.run.made_at(leaf)
        fallback = made if made.is_users else self._used[id(leaf)]
        yield Finding(
            self.id,
            WARNING,
            where if where.is_users else fallback,
            f"{listed([leaf for _, _, leaf in bad], names)}: {seen}",
            _evidence(seen, learns),
            "nn.init.kaiming_normal_(layer.weight), or leave PyTorch's own initialisation",
            only_as_cause=not is_bad,
        )

    def _is_bad(self, kind: str, leaf: Any, learns: bool) -> bool:
        if kind in ("alike", "zero") and self._still_alike(leaf):
            return True
        if kind == "zero":  # fine as long as gradients flow, as in residual branches
            weights = [h.gradient.values for _, h in self._vitals.weights()]
            return not learns and any(values and max(values) == 0 for values in weights)
        if kind == "broad":
            return self._guessing.is_better(FAR_OFF)
        return not learns

    def _still_alike(self, leaf: Any) -> bool:
        w = array(leaf)
        if w is None:
            return False
        flat = units_of(w, id(leaf) in self._turned)
        return bool(np.allclose(flat, flat[0], rtol=1e-5, atol=1e-8))


def units_of(w: np.ndarray, turned: bool) -> np.ndarray:
    """The weights of each unit in a row; `turned` ones have a unit per column."""
    return w.T if turned else w.reshape(w.shape[0], -1)


def _evidence(seen: str, learns: bool) -> list[str]:
    if "same" in seen or "all" in seen:
        why, end = "units that begin alike stay alike", "they were still alike at the end"
    else:
        why, end = "what flows through the layers grows or shrinks with every one of them", ""
    return [why, *([end] if learns and end else [] if learns else ["the loss does not fall"])]
