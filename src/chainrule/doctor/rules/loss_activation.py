"""loss-activation-mismatch: a loss is given what another loss expects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..finding import ERROR, WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from .base import Rule

# Ops that hand a value on, besides views: the activation behind them is what the loss sees.
PASSES_ON = {"cast", "clone", "reshape", "index_get", "broadcast_to", "copy"}
SCORES = {"linear", "linear_no_bias", "matmul", "addmm", "relu", "convolution", "bmm", "tanh"}
LOGITS = {"cross_entropy", "binary_cross_entropy_with_logits", "bce_with_logits"}
PROBABILITIES = {"binary_cross_entropy", "bce"}
LOG_PROBABILITIES = {"nll_loss"}
SQUASHED = {"softmax", "sigmoid", "log_softmax", "logsigmoid"}


class LossActivationMismatch(Rule):
    """Watches what makes the input of a loss: cross_entropy and BCE-with-logits take raw scores
    and apply the activation themselves, nll_loss takes log-probabilities, BCE probabilities.

    Silent: softmax for metrics beside the loss, KL divergence of log-probabilities, distillation
    with soft targets (the target's activation is not the input's).
    """

    id = "loss-activation-mismatch"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: dict[Position, Finding] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        for v in this.tape.nodes:
            if v.op in LOGITS | LOG_PROBABILITIES | PROBABILITIES:
                self._look(v, this)

    def _look(self, loss: Vertex, this: Pass) -> None:
        maker = producer(loss)
        if loss.op in LOGITS and maker is not None and maker.op in SQUASHED:
            self._logits(loss, maker)
        elif loss.op in LOG_PROBABILITIES:
            self._log_probabilities(loss, maker)

    def _logits(self, loss: Vertex, maker: Vertex) -> None:
        takes = "raw scores (logits)"
        idempotent = maker.op == "log_softmax" and loss.op == "cross_entropy"
        message = f"{loss.op} takes {takes} and applies its own activation, but gets the result of "
        message += f"{maker.op}"
        if idempotent:
            message += ": the loss is the same, the work is done twice"
        where = of_node(maker.node)
        self._say(
            where if where.is_users else of_node(loss.node),
            WARNING if idempotent else ERROR,
            message,
            [
                f"{maker.op} at {where.short}, {loss.op} at {of_node(loss.node).short}",
                *([] if idempotent else [_squashed(maker)]),
            ],
            f"leave {maker.op} out: hand the raw scores to {loss.op}",
        )

    def _log_probabilities(self, loss: Vertex, maker: Vertex | None) -> None:
        """nll_loss keeps no input: what made it says what it is."""
        if maker is None or maker.op not in SCORES | {"softmax", "sigmoid"}:
            return
        squashed = maker.op in ("softmax", "sigmoid")
        kind = "probabilities" if squashed else "scores"
        where = of_node(maker.node) if squashed else of_node(loss.node)
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

    def _say(
        self, where: Position, severity: str, message: str, evidence: list[str], fix: str
    ) -> None:
        self._found.setdefault(where, Finding(self.id, severity, where, message, evidence, fix))

    def findings(self) -> Iterator[Finding]:
        yield from self._found.values()


def producer(loss: Vertex) -> Vertex | None:
    """What computed the first input of a node, seen through views and casts."""
    v = _first(loss)
    for _ in range(12):
        if v is None or not _passes_on(v):
            return v
        v = _first(v)
    return v


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
