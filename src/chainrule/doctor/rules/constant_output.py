"""constant-output: the same answer for every sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Tape, Vertex
from ..calls import Calls
from ..finding import WARNING, Finding
from ..positions import Position, given_by, of_node
from ..run import Pass
from .base import Rule
from .guessing import Guessing
from .nan_origin import again

SAME = 1e-4  # spread over the batch, relative to the size of outputs or targets
ENOUGH = 8
ROWS, COLUMNS = 64, 64  # that are compared
LOSSES = {"mse_loss", "cross_entropy", "smooth_l1_loss", "huber_loss", "bce_with_logits",
          "binary_cross_entropy", "l1_loss", "bce"}  # fmt: skip
DISTANCES = ("pow", "square", "abs", "mul")
TRACED, MOST_OPS = 2, 40  # equal passes until the cause is looked for; ops on the way
AGAIN = 4  # ops in a row that are computed once more where nobody kept their results
MOST_BY_HAND, LARGEST = 30, 1 << 18


class ConstantOutput(Rule):
    """Watches the predictions that go into a loss: they do not differ between the samples of a
    batch, pass after pass, although the targets do, and the loss does not fall (where they are
    equal to the last digit in every pass, a falling loss is the noise of the data).

    Silent: first steps, runs that learn, targets that are all alike, anything that another rule
    explains.
    """

    id = "constant-output"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._guessing: Guessing = run.shared(Guessing)
        self._calls: Calls = run.shared(Calls)
        self._causes: dict[Position, Position] = {}
        self._looked = 0  # losses of the program's own that were computed again
        self._same: dict[Position, tuple[int, int, float]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site < 3:
            return
        for v, x, target in [*_named(this), *self._by_hand(this, this.tape)]:
            if not isinstance(x, np.ndarray) or x.ndim < 1 or x.shape[0] < 4:
                continue
            if not isinstance(target, np.ndarray) or target.ndim < 1 or not target.size:
                continue
            x, target = _some(x), _some(target)
            if not _varies(target, 1e-3):
                continue
            same, seen, _ = self._same.get(of_node(v.node), (0, 0, 0.0))
            flat = x.reshape(x.shape[0], -1).astype(np.float64)
            spread = float(flat.std(0).max())
            is_same = not _varies(x, SAME)
            self._same[of_node(v.node)] = (same + is_same, seen + 1, spread)
            if is_same and same == TRACED:
                self._causes[of_node(v.node)] = self._cause(v, this.tape)

    def _by_hand(self, this: Pass, tape: Tape) -> Iterator[tuple[Vertex, Any, Any]]:
        """`(prediction - target).pow(2)` and the like; the prediction is computed again."""
        for v in this.of(*DISTANCES):
            difference = v.saved().get("a", v.saved().get("x"))
            by = next((link.parent for link in v.inputs if link.position == 0), None)
            if by is None or by.op != "sub" or len(by.inputs) != 1 or self._looked > MOST_BY_HAND:
                continue
            above = by.inputs[0].parent
            if above.node is None or not isinstance(difference, np.ndarray):
                continue
            if difference.ndim < 1 or difference.size > LARGEST:
                continue
            self._looked += 1
            x = _value(tape, above)
            if isinstance(x, np.ndarray) and x.shape == difference.shape:
                yield v, x, x - difference

    def _cause(self, loss: Vertex, tape: Tape) -> Position:
        """The op whose operand differs from sample to sample while its result does not."""
        v = next((link.parent for link in loss.inputs if link.position == 0), None)
        if v is not None and v.op == "sub" and loss.op in DISTANCES:
            v = v.inputs[0].parent
        rows, last = 0, None
        for _ in range(MOST_OPS):
            if v is None or v.node is None:
                break
            out = _value(tape, v)
            rows = rows or (0 if out is None or not out.ndim else len(out))
            inner = [link.parent for link in v.inputs if link.parent.leaf is None]
            values = {id(p): _value(tape, p) for p in inner}
            if any(_differs(x, rows) for x in [*values.values(), *_constants(v)]):
                where = self._calls.place(v)
                return where if where.is_users else of_node(loss.node)
            # Where there are fewer rows, what made one of them all lies further up.
            batches = [p for p in inner if _by_rows(values[id(p)], rows) is not None]
            last, v = v, next(iter([*batches, *inner]), None)
        return of_node(loss.node) if last is None else self._entrance(last, loss)

    def _entrance(self, first: Vertex, loss: Vertex) -> Position:
        """Where data that is all alike comes in: the call of the model, or the first op of a model
        that was given samples that differ and used something else."""
        call = self._calls.whole(first)
        if call is not None and call.differs and (at := self._calls.place(first)).is_users:
            return given_by(at) or at
        where = self._calls.called_at(first)
        return where if where.is_users else of_node(loss.node)

    def findings(self) -> Iterator[Finding]:
        learns = self._guessing.is_outdone()
        for where, (same, seen, spread) in self._same.items():
            if learns and (same < seen or spread > 0):
                continue
            if same >= ENOUGH and same >= 0.8 * seen:
                yield Finding(
                    self.id,
                    WARNING,
                    self._causes.get(where, where),
                    "the model gives the same answer for every sample",
                    [
                        f"its outputs differ by {spread:.2g} within a batch, in {same} of {seen} "
                        "passes, while the targets differ"
                    ],
                    "look at the inputs, the activations and the learning rate",
                )


def _named(this: Pass) -> Iterator[tuple[Vertex, Any, Any]]:
    for v in this.of(*LOSSES):
        saved = v.saved()
        yield v, saved.get("x"), saved.get("y", saved.get("target"))


def _value(tape: Tape, v: Vertex, depth: int = AGAIN) -> Any:
    found = tape.value(v)
    if found is None and v.node is not None:
        found = v.saved_array("out0")  # the first result of several
    if found is None and v.node is not None and depth:
        return again(v, {k.parent.key: _value(tape, k.parent, depth - 1) for k in v.inputs})
    return found


def _constants(v: Vertex) -> list[Any]:
    """The operands of an op that no gradient flows to."""
    linked = {link.input_name for link in v.inputs}
    names = () if v.node.op is None else v.node.op.inputs
    return [v.saved()[n] for n in names if n not in linked and n in v.saved()]


def _by_rows(x: Any, rows: int) -> np.ndarray | None:
    """A value with the samples in its first axis, where one of its first two axes holds them."""
    if not isinstance(x, np.ndarray) or not x.size:
        return None
    axis = next((k for k, n in enumerate(x.shape[:2]) if n == rows), None)
    return None if axis is None else np.moveaxis(x, axis, 0)


def _differs(x: Any, rows: int) -> bool:
    found = _by_rows(x, rows)
    return found is not None and _varies(_some(found), SAME)


def _some(x: np.ndarray) -> np.ndarray:
    """At most a few rows and columns, evenly spread."""
    flat = x.reshape(x.shape[0], -1)
    return flat[:: max(1, flat.shape[0] // ROWS), :: max(1, flat.shape[1] // COLUMNS)]


def _varies(x: np.ndarray, share: float) -> bool:
    flat = x.reshape(x.shape[0], -1).astype(np.float64)
    if not np.isfinite(flat).all():
        return True
    size = float(np.abs(flat).max())
    return float(flat.std(0).max()) > share * max(size, 1e-3)
