"""wrong-dim-softmax: probabilities that compete over the batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...autograd.running_rules import fix_of
from ...reading.nodes import Vertex, shape_of
from ..calls import Calls
from ..finding import ERROR, Finding
from ..positions import Position
from ..run import Pass
from .base import Rule

LOSSES = {"nll_loss", "cross_entropy", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
          "binary_cross_entropy", "bce_with_logits", "kl_div"}  # fmt: skip
ENDS = {
    "nll_loss",
    "nll_loss2d",
    "cross_entropy",
    "cross_entropy2d",
    "mse_loss",
    "binary_cross_entropy",
    "gather",
    "mul",
}
DISTANCES = {"pow", "square", "abs"}


class WrongDimSoftmax(Rule):
    """Watches softmax and log_softmax over axis 0 of a tensor whose axis 0 is the batch (as many
    rows as the loss has targets), also written as `exp(x) / exp(x).sum(0)`, when the result goes
    into the loss, or weighs something inside a model whose data, predictions and
    targets all have that many rows.

    Silent: tensors without a batch axis, attention over the first axis of (time, batch) data,
    losses that are normalised over both axes on purpose (both are then in the graph).
    """

    id = "wrong-dim-softmax"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: dict[Position, tuple[int, str, tuple[int, ...], float]] = {}
        self._rows: set[int] = set()  # of what the models were given since the last pass
        self._calls: Calls = run.shared(Calls)

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        softmaxes = [*this.of("softmax", "log_softmax"), *filter(_is_by_hand, this.of("div"))]
        for v in softmaxes:
            axis = _axis(v)
            out = _quotient(v) if v.op == "div" else v.saved_array("out")
            if out is None or out.ndim < 2 or axis is None:
                continue
            if axis % out.ndim != 0 or out.shape[0] < 2:
                continue
            others = [w for w in softmaxes if w is not v and _same_input(v, w)]
            if any(_axis(w) not in (None, 0) for w in others):
                continue
            if not self._is_batch(v, out) and not self._mixes_samples(this, v, out):
                continue
            where = self._calls.place(v)
            count = self._found.get(where, (0,))[0] + 1
            sums = _probabilities(v, out).sum(-1)
            op = "softmax" if v.op == "div" else v.op
            self._found[where] = (count, op, out.shape, float(np.abs(sums - 1).mean()))

    def _is_batch(self, v: Vertex, out: np.ndarray) -> bool:
        """Whether the loss has one target per row: the result meets integer targets of length N."""
        w: Vertex | None = v
        for _ in range(6):
            users = list({id(link.child): link.child for link in w.uses}.values()) if w else []
            if len(users) != 1:
                return False
            w = users[0]
            if w.op in ("log", "neg", "clamp", "clamp_min") or w.node.op.view:
                continue
            if w.op == "add" and len(w.inputs) == 1:  # a small number against log(0)
                continue
            if w.op == "index_get":
                return any(getattr(k, "shape", None) == out.shape[:1] for k in w.saved()["indices"])
            if w.op not in ENDS or (w.op == "mul" and len(w.inputs) > 1):
                return False  # weights of an attention
            saved = w.saved()
            target = saved.get("target", saved.get("index", saved.get("y", saved.get("a"))))
            shape = getattr(target, "shape", ())
            if w.op == "mul":
                return shape == out.shape and not _competes_on_purpose(target)
            return shape[:1] == out.shape[:1]
        return False

    def model_called(self, _module: Any, args: Any, recorded: bool) -> None:
        if recorded:
            self._rows |= {a.shape[0] for a in args if getattr(a, "ndim", 0) >= 2}

    def pass_ends(self, _this: Pass) -> None:
        self._rows = set()

    def _mixes_samples(self, this: Pass, v: Vertex, out: np.ndarray) -> bool:
        """Whether weights inside the model compete over axis 0, which is the batch: the data, the
        prediction of the loss and its targets all have as many rows."""
        rows = out.shape[0]
        if (out.ndim == 2 and out.shape[1] == 1) or rows in out.shape[1:] or this.tape is None:
            return False
        data = self._rows or {x.shape[0] for w in this.nodes if (x := data_of(w)) is not None}
        targets = {n for w in this.nodes for n in target_rows(w)}
        if out.ndim > 2 and out.shape[-1] == out.shape[-2]:  # each token looks at each
            targets |= {n // out.shape[-1] for n in targets if n % out.shape[-1] == 0}
        return data == {rows} and rows in targets

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


def data_of(v: Vertex) -> np.ndarray | None:
    """The operand of a layer that no gradient flows to: the data itself."""
    if v.op == "embedding":
        x = v.saved().get("indices", v.saved().get("index"))
        return x if isinstance(x, np.ndarray) and x.ndim else None
    layer = v.op in ("linear", "linear_no_bias", "matmul", "mm", "addmm") or "convolution" in v.op
    if not layer or any(link.position == 0 for link in v.inputs):
        return None
    x = v.saved().get("x", v.saved().get("a"))
    return x if isinstance(x, np.ndarray) and x.ndim >= 2 else None


def target_rows(v: Vertex) -> list[int]:
    """The number of rows of what a prediction is compared with."""
    saved = v.saved()
    found = [saved.get("target"), saved.get("y")] if v.op in LOSSES else []
    if v.op == "gather":
        found.append(saved.get("index"))
    if v.op == "index_get":
        found += list(saved.get("indices") or ())
    if v.op == "sub":
        linked = {link.position for link in v.inputs}
        found += [saved.get(n) for k, n in enumerate(("a", "b")) if k not in linked]
        fix = fix_of(v.node)
        if fix is not None and fix.inputs is not None and len(linked) == 1:
            return [i[0][0] for i in fix.inputs if i is not None and i[0]]
        shape = shape_of(v)  # of both operands: nothing was broadcast
        measured = any(link.child.op in DISTANCES for link in v.uses)
        if shape is not None and shape[0] and len(linked) == 1 and measured:
            return [shape[0][0]]
    return [a.shape[0] for a in found if isinstance(a, np.ndarray) and a.ndim]


def _competes_on_purpose(target: Any) -> bool:
    """Whether targets are probabilities over axis 0 as well: a ranking of the rows."""
    sums = np.asarray(target, np.float64).sum(0)
    return bool(target.shape[-1] == 1 or np.allclose(sums, 1, atol=1e-3))


def _is_by_hand(v: Vertex) -> bool:
    """Whether a division is `exp(x) / exp(x).sum(...)`."""
    above, below = _operand(v, 0), _operand(v, 1)
    if above is None or below is None or above.op != "exp" or below.op != "sum":
        return False
    summed = _operand(below, 0)
    if summed is None:
        return False
    return summed is above or (summed.op == "exp" and _same_input(summed, above))


def _operand(v: Vertex, position: int) -> Vertex | None:
    return next((link.parent for link in v.inputs if link.position == position), None)


def _quotient(v: Vertex) -> np.ndarray | None:
    a, b = v.saved().get("a"), v.saved().get("b")
    return a / b if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else None


def _axis(v: Vertex) -> int | None:
    if v.op == "div":
        v = _operand(v, 1) or v
    axis = v.parameters().get("axis", v.saved().get("axis"))
    if isinstance(axis, tuple):
        axis = axis[0] if axis else None
    return axis


def _same_input(a: Vertex, b: Vertex) -> bool:
    first, second = _scores(a), _scores(b)
    return first is not None and first is second


def _scores(v: Vertex) -> Vertex | None:
    """What a softmax, or the exponential that one is written with, is taken of."""
    inner = _operand(v, 0) if v.op == "div" else v
    return None if inner is None else _operand(inner, 0)


def _probabilities(v: Vertex, out: np.ndarray) -> np.ndarray:
    return np.exp(out.astype(np.float64)) if v.op == "log_softmax" else out.astype(np.float64)
