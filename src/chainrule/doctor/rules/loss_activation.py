"""loss-activation-mismatch: a loss is given what another loss expects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..calls import Calls
from ..finding import ERROR, WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from .base import Rule
from .failures import is_about, raised_at

# Ops that hand a value on, besides views: the activation behind them is what the loss sees.
PASSES_ON = {"cast", "clone", "reshape", "index_get", "broadcast_to", "copy"}
SCORES = {"linear", "linear_no_bias", "matmul", "mm", "addmm", "relu", "convolution", "bmm", "tanh"}
LOGITS = {"cross_entropy", "cross_entropy2d", "binary_cross_entropy_with_logits", "bce_with_logits"}
POINTWISE = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
CLASSES = {"cross_entropy", "cross_entropy2d"}
SUMS_TO_1 = 1e-4
LOG_PROBABILITIES = {"nll_loss"}
PROBABILITIES = {"binary_cross_entropy"}
UNBOUNDED = {"linear", "linear_no_bias", "addmm", "relu", "leaky_relu", "elu", "gelu", "silu",
             "tanh", "convolution", "convolution_no_bias"}  # fmt: skip
CLAMPS = {"clamp", "clamp_min", "clamp_max"}
DISTANCES = ("pow", "square", "abs", "mul")
SQUASHED = {"softmax", "sigmoid", "log_softmax", "logsigmoid"}


RANGES: dict[str, tuple[float, float | None]] = {
    "tanh": (-1.05, 1.05), "sigmoid": (-0.05, 1.05), "softmax": (-0.05, 1.05),
    "relu": (-0.05, None),
}  # fmt: skip
UNREACHED = 0.4  # of the targets
TIMES = 3
NOT_PROBABILITIES = "elements of input should be between 0 and 1"


class LossActivationMismatch(Rule):
    """Watches what makes the input of a loss: cross_entropy and BCE-with-logits take raw scores
    and apply the activation themselves, nll_loss takes log-probabilities, BCE probabilities. Also a
    last tanh, sigmoid, softmax or relu that cannot reach many of a pointwise loss's targets.

    Silent: softmax for metrics beside the loss, KL divergence of log-probabilities, distillation
    with soft targets (the target's activation is not the input's).
    """

    id = "loss-activation-mismatch"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: dict[Position, Finding] = {}
        self._out_of_range: dict[Position, int] = {}
        self._sums_to_1: dict[Position, int] = {}
        self._calls: Calls = run.shared(Calls)

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        for v in this.of(*LOGITS, *LOG_PROBABILITIES, *PROBABILITIES, *POINTWISE):
            self._look(v)
        for v in this.of("log_softmax"):  # with label smoothing the loss is made of parts
            maker = producer(v)
            if maker is not None and maker.op in SQUASHED - {"log_softmax"}:
                if not is_written_out(self._calls.place(v)):
                    self._logits(v, maker)
        for v in this.of(*DISTANCES):
            self._by_hand(v)

    def _by_hand(self, distance: Vertex) -> None:
        """`(prediction - target) ** 2`: what was subtracted follows from both."""
        by = _first(distance)
        difference = distance.saved().get("a", distance.saved().get("x"))
        if by is None or by.op != "sub" or len(by.inputs) != 1:
            return
        maker = producer(by) if by.inputs[0].position == 0 else _seen_through(by.inputs[0].parent)
        out = None if maker is None or maker.op not in RANGES else this_value(maker)
        if out is None or not isinstance(difference, np.ndarray) or out.size != difference.size:
            return
        sign = 1 if by.inputs[0].position == 0 else -1
        self._reach(distance, maker, out.reshape(-1) - sign * difference.reshape(-1))  # type: ignore[arg-type]

    def _look(self, loss: Vertex) -> None:
        maker = producer(loss)
        if maker is not None and loss.op in POINTWISE:
            self._range(loss, maker)
        elif loss.op in LOGITS and maker is not None and maker.op in SQUASHED:
            self._logits(loss, maker)
        elif loss.op in CLASSES and maker is not None:
            self._probable(loss, maker)
        elif loss.op in LOG_PROBABILITIES:
            self._log_probabilities(loss, maker)
        elif loss.op in PROBABILITIES and maker is not None:
            while maker is not None and maker.op in CLAMPS:  # their ends are no probabilities
                maker = producer(maker)
            if maker is not None and maker.op in UNBOUNDED:
                self._probabilities(loss, maker)

    def _logits(self, loss: Vertex, maker: Vertex) -> None:
        takes = "raw scores (logits)"
        idempotent = maker.op == "log_softmax" and loss.op.startswith("cross_entropy")
        name = "cross_entropy" if loss.op == "log_softmax" else loss.op
        message = f"{name} takes {takes} and applies its own activation, but gets the result of "
        message += f"{maker.op}"
        if idempotent:
            message += ": the loss is the same, the work is done twice"
        where = self._calls.place(maker)
        self._say(
            where if where.is_users else of_node(loss.node),
            WARNING if idempotent else ERROR,
            message,
            [
                f"{maker.op} at {where.short}, {name} at {of_node(loss.node).short}",
                *([] if idempotent else [_squashed(maker)]),
            ],
            f"leave {maker.op} out: hand the raw scores to {name}",
        )

    def _probable(self, loss: Vertex, maker: Vertex) -> None:
        """Scores that are probabilities by their values, whatever made them: exp(log_softmax(x)),
        exp(x) / exp(x).sum(...)."""
        scores = loss.saved().get("x")
        if not isinstance(scores, np.ndarray) or scores.ndim < 2 or scores.shape[1] < 2:
            return
        sums = scores.sum(1, dtype=np.float64)
        if not (scores.min() >= 0 and np.abs(sums - 1).max() <= SUMS_TO_1):  # or NaN
            return
        where = self._calls.place(maker)
        where = where if where.is_users else of_node(loss.node)
        count = self._sums_to_1[where] = self._sums_to_1.get(where, 0) + 1
        if count >= TIMES:
            self._say(
                where,
                ERROR,
                "cross_entropy takes raw scores (logits) and applies its own softmax, but gets "
                "probabilities",
                [f"in {count} batches the {scores.shape[1]} scores of every sample add up to 1"],
                "leave the softmax out: hand the raw scores to cross_entropy",
            )

    def _range(self, loss: Vertex, maker: Vertex) -> None:
        """A last activation whose results cannot reach the targets."""
        self._reach(loss, maker, loss.saved().get("y", loss.saved().get("target")))

    def _reach(self, loss: Vertex, maker: Vertex, target: Any) -> None:
        low, high = RANGES.get(maker.op, (None, None))
        if low is None or not isinstance(target, np.ndarray) or target.size < 8:
            return
        outside = (target < low) | (target > high if high is not None else False)
        if not np.isfinite(target).all() or float(outside.mean()) < UNREACHED:
            return
        where = self._calls.place(maker)
        count = self._out_of_range.get(where, 0) + 1
        self._out_of_range[where] = count
        if count >= TIMES:
            reach = f"between {low:g} and {high:g}" if high is not None else f"at least {low:g}"
            self._say(
                where if where.is_users else of_node(loss.node),
                WARNING,
                f"the targets lie outside of what {maker.op} can give: its results are {reach}",
                [
                    f"targets reach from {float(target.min()):.3g} to {float(target.max()):.3g}; "
                    f"{float(outside.mean()):.0%} of them can never be met"
                ],
                f"leave {maker.op} out at the end of the model, or scale the targets",
            )

    def _log_probabilities(self, loss: Vertex, maker: Vertex | None) -> None:
        """nll_loss keeps no input: what made it says what it is."""
        if maker is None or maker.op not in SCORES | {"softmax", "sigmoid"}:
            return
        squashed = maker.op in ("softmax", "sigmoid")
        kind = "probabilities" if squashed else "scores"
        where = self._calls.place(maker) if squashed else of_node(loss.node)
        value = this_value(maker)
        seen = [f"they are the result of {maker.op} at {of_node(maker.node).short}"]
        if value is not None and value.size:
            largest = float(value.max())
            seen.append(f"the largest is {largest:.3g}: log-probabilities are never above 0")
            if largest <= 0:
                return
        self._say(
            where if where.is_users else of_node(loss.node),
            ERROR,
            f"nll_loss takes log-probabilities, but gets {kind}",
            seen,
            "F.cross_entropy(scores, target)  # or log_softmax before nll_loss",
        )

    def _probabilities(self, loss: Vertex, maker: Vertex) -> None:
        """BCE raises where a value leaves 0 to 1; until one does, it trains on anything."""
        value = loss.saved().get("x")
        seen = [f"they are the result of {maker.op} at {of_node(maker.node).short}"]
        if isinstance(value, np.ndarray) and value.size:
            seen.append(f"they lie between {float(value.min()):.3g} and {float(value.max()):.3g}")
        where = of_node(loss.node)
        self._say(
            where if where.is_users else self._calls.place(maker),
            ERROR,
            f"binary_cross_entropy takes probabilities, but gets what {maker.op} gives: nothing "
            "keeps it between 0 and 1",
            seen,
            "F.binary_cross_entropy_with_logits(scores, target)  # or a sigmoid before it",
        )

    def _say(
        self, where: Position, severity: str, message: str, evidence: list[str], fix: str
    ) -> None:
        self._found.setdefault(where, Finding(self.id, severity, where, message, evidence, fix))

    def findings(self) -> Iterator[Finding]:
        yield from self._found.values()
        if is_about(self.run.problem, NOT_PROBABILITIES):
            where = raised_at(self.run.problem)
            yield Finding(
                self.id,
                ERROR,
                where,
                "binary_cross_entropy takes probabilities, but gets numbers outside of 0 to 1",
                [str(self.run.problem).splitlines()[0][:160]],
                "F.binary_cross_entropy_with_logits(scores, target)  # or a sigmoid before it",
            )


def producer(loss: Vertex) -> Vertex | None:
    """What computed the first input of a node, seen through views and casts."""
    return _seen_through(_first(loss))


def _seen_through(v: Vertex | None) -> Vertex | None:
    for _ in range(12):
        if v is None or not _passes_on(v):
            return v
        v = _first(v)
    return v


def is_written_out(where: Position) -> bool:
    """Whether the program's own line applies a softmax, and not a loss of the library inside."""
    return "softmax" in where.text.lower()


def _passes_on(v: Vertex) -> bool:
    op = None if v.node is None else v.node.op
    return op is not None and (op.view or op.name in PASSES_ON)


def _first(v: Vertex) -> Vertex | None:
    return next((link.parent for link in v.inputs if link.position == 0), None)


def this_value(v: Vertex) -> np.ndarray | None:
    """The result of a vertex, if its node keeps it."""
    out = v.saved_array("out")
    return out if isinstance(out, np.ndarray) else None


def _squashed(maker: Vertex) -> str:
    out = maker.saved_array("out")
    if out is None or out.size == 0:
        return "its results lie between 0 and 1, so the loss can never become small"
    return (
        f"its inputs lie between {float(out.min()):.3g} and {float(out.max()):.3g}: taken for "
        "scores they are nearly equal, and the loss can never become small"
    )
