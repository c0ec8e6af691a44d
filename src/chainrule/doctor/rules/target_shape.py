"""target-shape-broadcast: a loss compares every prediction with every target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...autograd.running_rules import fix_of
from ...reading.nodes import Vertex, shape_of
from ..finding import ERROR, Finding
from ..positions import of_node
from ..run import Pass
from .base import Rule

POINTWISE = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
             "binary_cross_entropy_with_logits", "bce", "bce_with_logits"}  # fmt: skip
DIFFERENCES = {"sub", "rsub", "add"}
POSITIVE = {"pow", "square", "abs", "mul", "sqrt", "clamp", "log", "cosh", "where", "add", "div",
            "maximum", "minimum", "relu", "clamp_min", "clamp_max", "neg", "sub", "rsub", "exp",
            "log1p", "softplus", "tanh", "logcosh"}  # fmt: skip
LINEAR = frozenset({"neg", "add", "sub", "mul"})  # what a product passes on its way to the loss


class TargetShapeBroadcast(Rule):
    """Watches the difference of predictions and targets: shapes (N, 1) and (N,) broadcast to
    (N, N), so that every prediction is compared with every target and the best answer is the mean.

    Silent: shapes that broadcast without growing both sides; outer differences that the program
    asked for by its own singleton axes (`x[:, None] - y[None, :]`); N = 1.
    """

    id = "target-shape-broadcast"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._seen: dict[Any, tuple[Any, Any, Any]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site > 3:
            return
        for v in this.of(*POINTWISE, *DIFFERENCES):
            self._look(v)
        for v in this.of("mul"):
            self._look_at_product(v)

    def _look(self, v: Vertex) -> None:
        if v.op in POINTWISE:
            self._look_at_loss(v)
            return
        self._look_at_loss(v)  # l1_loss is made of parts
        shapes = operand_shapes(v)
        if shapes is None:
            return
        a, b = shapes
        long, short = (a, b) if len(a) > len(b) else (b, a)
        if len(short) != 1 or len(long) != 2 or long[1] != 1 or short[0] != long[0] or short[0] < 2:
            return
        if _becomes_loss(v) and not _spread_on_purpose(v, long):
            self._seen.setdefault(of_node(v.node), (v.op, a, b))

    def _look_at_product(self, v: Vertex) -> None:
        """`y * log(p)` and `advantage * log_prob`: predictions (N, 1) with data (N,)."""
        shapes = operand_shapes(v)
        if shapes is None or len(v.inputs) != 1:
            return
        given = shapes[v.inputs[0].position]
        data = shapes[1 - v.inputs[0].position]
        long, short = (given, data) if len(given) > len(data) else (data, given)
        alike = len(long) == 2 and long[1] == 1 and short == long[:1] and short[0] > 1
        if long is data and _makes_axis(of_node(v.node).text):
            return
        if alike and _becomes_loss(v, LINEAR) and not _spread_on_purpose(v, given):
            self._seen.setdefault(of_node(v.node), (v.op, *shapes))

    def _look_at_loss(self, v: Vertex) -> None:
        """A loss function that spread its prediction did so by a node of the same call."""
        for link in v.inputs:
            inner = link.parent
            if link.position or inner.op != "broadcast_to" or inner.node.lasti != v.node.lasti:
                continue
            before, spread = inner.saved().get("x_shape"), v.saved().get("x")
            own = shape_of(v, 0)  # of a difference; a loss keeps its operand
            after = spread.shape if spread is not None else () if own is None else own[0]
            if before and _size(before) < _size(after):
                other = (before[0],) if len(before) == 2 else (before[0], 1)
                self._seen.setdefault(of_node(v.node), (v.op, tuple(before), other))

    def findings(self) -> Iterator[Finding]:
        for position, (op, a, b) in self._seen.items():
            n = max(a[0], b[0])
            yield Finding(
                self.id,
                ERROR,
                position,
                f"{op} of shapes {list(a)} and {list(b)} broadcasts to [{n}, {n}]: every "
                "prediction is compared with every target",
                [f"{n * n} differences from {n} predictions; the best answer is then the mean"],
                "prediction.squeeze(-1)  # or target.unsqueeze(-1), so that the shapes are equal",
            )


def operand_shapes(v: Vertex) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The shapes of two operands that were broadcast against each other."""
    if v.node.op is None or len(v.node.parents) != 2:
        return None
    fix = fix_of(v.node)
    if fix is None or fix.inputs is None or None in fix.inputs:
        return None
    return fix.inputs[0][0], fix.inputs[1][0]


def _makes_axis(text: str) -> bool:
    """Whether a line makes the axis of its data that it spreads over."""
    return any(word in text for word in ("None", "newaxis", "unsqueeze", "view(", "reshape("))


def _size(shape: Any) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


def _becomes_loss(v: Vertex, more: frozenset[str] = frozenset()) -> bool:
    """Whether a difference is squared or made positive and then reduced to one number."""
    front = [v]
    for _ in range(8):
        users = {id(link.child): link.child for w in front for link in w.uses}
        front = [w for w in users.values() if w.op not in ("mean", "sum")]
        if users and not front:
            return True
        if not front or any(w.op not in POSITIVE and w.op not in more for w in front):
            return False
    return False


def _spread_on_purpose(v: Vertex, long: tuple[int, ...]) -> bool:
    """Whether the axis of length one was made for the difference: `x[:, None] - y`."""
    for link in v.inputs:
        maker = link.parent
        if shape_of(maker, link.nr) is None or shape_of(maker, link.nr)[0] != long:  # type: ignore[index]
            continue
        if maker.node is None or maker.node.op is None or not maker.node.op.view:
            continue
        before = [shape_of(k.parent, k.nr) for k in maker.inputs]
        if any(shape is not None and len(shape[0]) < len(long) for shape in before):
            return True
    return False
