"""bad-initialization: weights that cannot begin to learn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..finding import WARNING, Finding
from ..positions import Position
from ..run import Pass
from ..vitals import Vitals
from .base import Rule, array
from .census import listed
from .writers import Writers

WIDE, NARROW = 10.0, 0.01  # times 1/sqrt(fan-in)
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

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site or not self.run.optimizers:
            return
        held = self.run.in_optimizers()
        weights = []
        for v in this.tape.nodes:
            for link in v.inputs:
                leaf = link.parent.leaf
                if leaf is None or id(leaf) not in held or leaf.ndim < 2:
                    continue
                if v.op == "embedding":
                    self._embedded.add(id(leaf))
                elif not any(leaf is w for w in weights):
                    weights.append(leaf)  # the latest use first
        if len(weights) < 2:
            return
        for k, leaf in enumerate(weights):
            if id(leaf) not in self._embedded:
                self._judge(leaf, is_last=k == 0)

    def _judge(self, leaf: Any, is_last: bool) -> None:
        w = array(leaf)
        if w is None or w.shape[0] < 2 or w.dtype.kind != "f":
            return
        flat = w.reshape(w.shape[0], -1).astype(np.float64)
        scale = 1 / math.sqrt(flat.shape[1])
        spread = float(flat.std())
        if not flat.any():
            kind = "" if is_last else "zero"
        elif flat.shape[1] > 1 and bool((flat == flat[0]).all()):
            kind = "alike"
        elif spread > WIDE * scale and spread > 1:
            kind = "wide"
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
                "narrow": f"the weights spread by {spread:.2g}, {spread / scale:.1g} times "
                "1/sqrt(fan-in)",
            }[kind]
            self._found[id(leaf)] = (kind, seen, self._writers.of(leaf), leaf)

    def findings(self) -> Iterator[Finding]:
        if not self._found or self.run.steps < ENOUGH:
            return
        learns = self.run.learns()
        bad = [
            (seen, where, leaf)
            for kind, seen, where, leaf in self._found.values()
            if self._is_bad(kind, leaf, learns)
        ]
        if not bad:
            return
        names = self.run.names()
        seen, where, leaf = bad[-1]  # the layer used first
        fallback = self.run.made_at(leaf)
        yield Finding(
            self.id,
            WARNING,
            where if where.is_users else fallback,
            f"{listed([leaf for _, _, leaf in bad], names)}: {seen}",
            ["units that begin alike stay alike" if "same" in seen or "all" in seen else
             "what flows through the layers grows or shrinks with every one of them",
             "the loss does not fall" if not learns else "they were still alike at the end"],
            "nn.init.kaiming_normal_(layer.weight), or leave PyTorch's own initialisation",
        )  # fmt: skip

    def _is_bad(self, kind: str, leaf: Any, learns: bool) -> bool:
        if kind in ("alike", "zero") and self._still_alike(leaf):
            return True
        if kind == "zero":  # fine as long as gradients flow, as in residual branches
            weights = [h.gradient.values for _, h in self._vitals.weights()]
            return not learns and any(values and max(values) == 0 for values in weights)
        return not learns

    def _still_alike(self, leaf: Any) -> bool:
        w = array(leaf)
        if w is None:
            return False
        flat = w.reshape(w.shape[0], -1)
        return bool(np.allclose(flat, flat[0], rtol=1e-5, atol=1e-8))
