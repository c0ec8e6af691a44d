"""data-leakage: the model is judged on samples that it was trained on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...autograd.state import STATE
from ...autograd.value import TensorBase
from ...ops.weak import WeakTable
from ..calls import Calls
from ..finding import WARNING, Finding
from ..positions import Position, here, stack
from ..run import OptimizerRecord, Pass
from .base import Rule

SHARE, FEWEST = 0.05, 4  # of the samples of an evaluation
MOST = 50_000  # samples that are remembered
KNOWN = 20  # batches in a row without a new sample: the whole training data is known
WIDTH = 32  # values of a sample that are compared
REAL, WHOLE = 3, 8  # values that a sample needs for chance to be out of the question
_HELD_OUT = re.compile(r"(?<![a-z])(val|valid\w*|test\w*|dev|hold_?out|held_?out)(?![a-z])", re.I)
_TRAIN = re.compile(r"train|fit", re.I)


class DataLeakage(Rule):
    """Watches the samples themselves: those of batches that were trained on, and those of loaders
    or arguments that are named after validation or test. At least one in twenty of the latter was
    among the former.

    Silent: accuracy on the training data (by its name), folds with a model and an optimizer of
    their own, samples that are judged before they are trained on, data that repeats itself, graphs
    whose nodes are all inputs and are split by masks.
    """

    id = "data-leakage"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        run.shared(Calls)
        self._held_out = WeakTable()  # loaders: the line that names them so
        self._trained: set[int] = set()
        self._pending: list[int] = []
        self._known = 0  # batches in a row that brought nothing new
        self._rows = self._repeated = 0
        self._judged: dict[Position, tuple[int, int]] = {}  # seen in training, all

    def optimizer_made(self, _record: OptimizerRecord) -> None:
        """Another model is about to be trained, perhaps on another fold."""
        self._trained.clear()
        self._pending = []
        self._known = 0

    # ---- loaders --------------------------------------------------------------------------------

    def loader_made(self, loader: Any, _where: Position) -> None:
        for line in stack(1):
            if _TRAIN.search(line.text):
                return
            if _HELD_OUT.search(line.text):
                self._held_out[loader] = line
                return

    def batch_taken(self, loader: Any, batch: Any) -> None:
        held_out = self._held_out.get(loader)
        if held_out is not None:
            self._judge(prints(_first(batch)), held_out)
        elif STATE.grad_enabled and self._known < KNOWN:
            self._pending = prints(_first(batch))

    # ---- calls without loaders ------------------------------------------------------------------

    def model_called(self, _module: Any, args: Any, recorded: bool) -> None:
        if recorded:
            if self._known < KNOWN and not self._pending:
                self._pending = prints(_first(args))
        elif self._trained:
            where = here(1)
            if _is_held_out(where):
                self._judge(prints(_first(args)), where)

    # ---- what is known --------------------------------------------------------------------------

    def pass_ends(self, _this: Pass) -> None:
        if not self._pending:
            return
        rows = set(self._pending)
        self._rows += len(self._pending)
        self._repeated += len(self._pending) - len(rows)
        self._known = self._known + 1 if rows <= self._trained else 0
        if len(self._trained) < MOST:
            self._trained |= rows
        self._pending = []

    def _judge(self, rows: list[int], where: Position) -> None:
        if rows and self._trained:
            seen, all_rows = self._judged.get(where, (0, 0))
            hits = sum(row in self._trained for row in rows)
            self._judged[where] = (seen + hits, all_rows + len(rows))

    def findings(self) -> Iterator[Finding]:
        if self._repeated > SHARE * self._rows:
            return
        for where, (seen, rows) in self._judged.items():
            if seen >= FEWEST and seen >= SHARE * rows:
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    "the model is judged on samples that it was trained on: the splits overlap",
                    [f"{seen} of {rows} samples that were evaluated had been trained on before"],
                    "split the indices once, without overlap: train, test = random_split(data, "
                    "[0.8, 0.2])",
                )
                return


def prints(samples: Any) -> list[int]:
    """A number per sample that tells it from others; none where chance could repeat them."""
    a = getattr(samples, "_a", samples)
    if not isinstance(a, np.ndarray) or a.ndim < 2 or a.dtype.kind not in "fiuV" or not a.size:
        return []
    flat = a.reshape(a.shape[0], -1)
    if flat.shape[1] < (REAL if a.dtype.kind == "f" else WHOLE):
        return []
    some = np.ascontiguousarray(flat[:, :: max(1, flat.shape[1] // WIDTH)])
    return [hash(row.tobytes()) for row in some]


def _first(batch: Any) -> Any:
    """The first tensor of a batch."""
    if isinstance(batch, TensorBase):
        return batch
    inner = batch.values() if isinstance(batch, dict) else batch
    if not isinstance(batch, dict | list | tuple):
        return None
    return next((x for x in inner if isinstance(x, TensorBase)), None)


def _is_held_out(where: Position) -> bool:
    """Whether an argument of the call on a line is named after validation or test."""
    try:
        tree = ast.parse(where.text.rstrip(":").removeprefix("return ").strip())
    except SyntaxError:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            names = [ast.unparse(argument) for argument in node.args]
            if any(_HELD_OUT.search(n) and not _TRAIN.search(n) for n in names):
                return True
    return False
