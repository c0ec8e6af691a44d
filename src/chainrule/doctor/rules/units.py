"""Activations over a run, unit by unit; shared by dead-relu and saturated-activation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..calls import Calls
from ..positions import NOWHERE, Position, of_node
from ..run import Pass, Run
from .writers import Writers

RECTIFIERS = {"relu", "relu6", "clamp_min", "threshold", "maximum"}
SQUASHERS = {"tanh", "sigmoid"}
SAMPLE = 4096  # results of an activation that are looked at


class Layer:
    """One activation: a line of the program, and which of its calls."""

    def __init__(self, position: Position, op: str, units: int) -> None:
        self.position = position
        self.op = op
        self.passes = 0
        self.dead = np.ones(units, bool)  # zero for every sample so far
        self.saturated: list[float] = []  # share of saturated entries, by pass
        self.before: Any = None  # the parameter behind it, by id
        self.written: Position = NOWHERE  # the user's line that set that parameter or its bias
        self.dead_at_start = 0.0  # share of units
        self.weight_set: Position = NOWHERE  # the user's line that set the weight itself
        self.varied = False  # samples of some batch differ: those of one input say nothing


class Units:
    """What the activations of a run did; read from the tape, which keeps their results."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.layers: dict[tuple[Position, int, int], Layer] = {}
        self._calls: Calls = run.shared(Calls)
        self._writers: Writers = run.shared(Writers)

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        seen: dict[Position, int] = {}
        for v in reversed(this.of(*RECTIFIERS, *SQUASHERS, "rnn_layer")):
            out = _result(v)
            if out is None or out.ndim < 2 or out.shape[0] < 2:
                continue
            where = of_node(v.node)
            nth = seen[where] = seen.get(where, -1) + 1
            self._note(where, nth, v, out)

    def _note(self, where: Position, nth: int, v: Vertex, out: np.ndarray) -> None:
        # A unit is a channel of images, a feature elsewhere.
        axis = 1 if out.ndim == 4 or (out.ndim == 3 and _is_image(v)) else out.ndim - 1
        others = tuple(k for k in range(out.ndim) if k != axis)
        key = (where, nth, out.shape[axis])
        layer = self.layers.get(key)
        if layer is None:
            layer = self.layers[key] = Layer(self._calls.place(v), v.op, out.shape[axis])
            layer.before = _weight_behind(v)
            layer.written, layer.weight_set = self._written(layer.before)
        layer.passes += 1
        layer.varied = layer.varied or bool((out[0] != out[-1]).any())
        if v.op in RECTIFIERS:
            if layer.dead.any():
                layer.dead &= ~(out != 0).any(others)
            if layer.passes == 1:
                layer.dead_at_start = float(layer.dead.mean())
        elif v.op == "rnn_layer":
            if not v.saved().get("relu"):
                layer.saturated.append(float(_saturated("tanh", out).mean()))
        elif not _feeds_loss(v):
            layer.saturated.append(float(_saturated(v.op, out).mean()))

    def _written(self, weight: int | None) -> tuple[Position, Position]:
        """The user's lines that wrote into the bias (or else the weight) of a layer before it was
        used, and into the weight."""
        for module, _ in self.run.living_modules():
            own = list(module._parameters.values())
            if any(id(p) == weight for p in own):
                lines = [self._writers.of(p) for p in reversed(own) if p is not None]
                set_here = [at for at in lines if at.is_users and self._sets(at)]
                if set_here:
                    return set_here[0], set_here[-1]
        return NOWHERE, NOWHERE

    def _sets(self, where: Position) -> bool:
        """Layers write into their own parameters when they are made: that does not count."""
        made = {record.position for record in self.run.modules.values()}
        return where not in made and self.run.steps == 0


def _result(v: Vertex) -> np.ndarray | None:
    """What an activation gave; written by hand (`clamp(min=0)`), what it keeps of zero."""
    if v.op not in ("clamp_min", "threshold", "maximum"):
        return v.saved_array("out0" if v.op == "rnn_layer" else "out")
    saved = v.saved()
    x = saved.get("a" if v.op == "maximum" else "x")
    low = saved.get({"clamp_min": "low", "threshold": "limit", "maximum": "b"}[v.op])
    if not isinstance(x, np.ndarray) or low is None or np.any(low) or _feeds_loss(v):
        return None
    return np.maximum(x, 0)


def _is_image(v: Vertex) -> bool:
    return any(link.parent.op.startswith("convolution") for link in v.inputs)


def _weight_behind(v: Vertex) -> int | None:
    """The id of the nearest parameter that computed the operand of an activation."""
    w = v
    for _ in range(4):
        inner = [link.parent for link in w.inputs if link.parent.node is not None]
        leaves = [link.parent for link in w.inputs if link.parent.leaf is not None]
        for leaf in leaves:
            if leaf.leaf.ndim >= 2:
                return id(leaf.leaf)
        if not inner:
            return None
        w = inner[0]
    return None


def _feeds_loss(v: Vertex) -> bool:
    """Whether an activation is the output of the model: the loss is computed right from it."""
    users = [link.child for link in v.uses]
    for _ in range(3):
        if any(u.op.endswith("loss") or "entropy" in u.op or u.op == "log" for u in users):
            return True
        users = [k.child for u in users for k in u.uses if u.node.op is None or u.node.op.view]
    return False


def _saturated(op: str, out: np.ndarray) -> np.ndarray:
    flat = out.reshape(-1)
    values = flat[:: max(1, flat.size // SAMPLE)].astype(np.float64)
    if op == "tanh":
        return np.abs(values) > 0.99
    return (values < 0.01) | (values > 0.99)


__all__ = ["Layer", "Units"]
