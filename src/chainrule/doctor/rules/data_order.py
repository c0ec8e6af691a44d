"""data-not-shuffled-or-label-misaligned: inputs and targets that do not belong together."""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Iterator
from typing import Any
from weakref import ref

import numpy as np

from ...autograd.value import TensorBase
from ..finding import ERROR, WARNING, Finding
from ..positions import NOWHERE, LinePosition, Position, of_node, users_frame
from ..run import Pass
from .base import Rule, array
from .pairings import Pairings, Snapshot

ENOUGH = 10
MOST_PIECES = 64
LOSSES = ("cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
          "bce_with_logits", "binary_cross_entropy")  # fmt: skip
FEW = 0.2  # share of the label entropy within a batch


class DataOrder(Rule):
    """Watches two things. Full permutations by which data is indexed: two different ones for two
    tensors of equal length that meet as input and target, or one for the inputs and none for the
    targets that lay beside them, while the loss does not fall. And the labels of batches: nearly
    one class per batch, batch after batch, though the whole has several.

    Silent: the same permutation for both, targets that are computed after it, permutations of a
    batch (augmentation, mixup, marginal samples), sequences and regression without shuffling,
    batches that are sorted by length.
    """

    id = "data-not-shuffled-or-label-misaligned"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._pairings: Pairings = run.shared(Pairings)
        self._permuted: dict[int, tuple[int, int, Position, Any]] = {}  # memory -> length, hash
        self._misaligned: tuple[Position, Position, int] | None = None
        self._beside: dict[int, list[Any]] = {}  # memory -> what lay beside it, as long as it
        self._alone: dict[Position, tuple[int, int]] = {}  # passes and rows of those left behind
        self._answers_at: Position | None = None  # the line whose yes-or-no answers are looked at
        self._changes = self._most = 0  # of the class that most labels of a batch have
        self._batches: list[float] = []  # entropy of the labels of a batch
        self._counts: dict[int, int] = {}
        self._loader: Position = NOWHERE
        self._where: Position = NOWHERE
        self._pieces: dict[tuple[int, int], Position] = {}  # address and size -> line

    # ---- permutations ---------------------------------------------------------------------------

    def permuted(self, result: Any, index: np.ndarray, where: Position) -> None:
        """A tensor was indexed by a permutation of all its rows."""
        root = _memory(result)
        if root is not None:
            key = hash(index.astype(np.int64).tobytes())
            self._permuted[id(root)] = (index.size, key, where, root)
            self._beside[id(root)] = _beside(index.size, root)
            if len(self._permuted) > 64:
                first = next(iter(self._permuted))
                del self._permuted[first], self._beside[first]

    def rows_taken(self, tensors: tuple[Any, ...]) -> None:
        """Tensors that belong together row by row: those of a dataset."""
        self._meet([t for t in tensors if array(t) is not None])

    def _meet(self, tensors: list[Any]) -> None:
        known = [
            found for t in tensors if (found := self._permuted.get(id(_memory(t)))) is not None
        ]
        for a in known:
            for b in known:
                if a[0] == b[0] and a[1] != b[1] and self._misaligned is None:
                    self._misaligned = (a[2], b[2], a[0])

    def pass_begins(self, this: Pass) -> None:
        for v in this.of("cross_entropy", "nll_loss"):
            self._labels(v.saved().get("target"), this)
        answers = this.of("bce_with_logits", "binary_cross_entropy")
        if len(answers) == 1 and self._answers_at in (None, this.site.position):
            self._answers_at = this.site.position  # several lines, or losses, are of adversaries
            self._labels(_yes_or_no(answers[0].saved().get("y")), this)
        wanted = self._permuted or self._pairings.snapshots
        if not wanted or self._misaligned is not None:
            return
        operands: list[Any] = []
        for v in this.nodes:
            saved = v.saved()
            linked = {link.input_name for link in v.inputs}
            op = v.node.op
            names = () if op is None else op.inputs
            operands += [
                saved[n] for n in names if n not in linked and isinstance(saved.get(n), np.ndarray)
            ]
            if isinstance(saved.get("target"), np.ndarray):
                operands.append(saved["target"])
        self._pairings.meet(_distinct(operands), _distinct(_targets(this)))
        self._meet_arrays(operands)
        self._left_behind(this, operands)

    def _left_behind(self, this: Pass, operands: list[Any]) -> None:
        """Inputs that were permuted, with targets that lay beside them and were not."""
        targets = [_root(t) for t in _targets(this)]
        for a in operands:
            known = self._permuted.get(id(_root(a)))
            if known is None or len(a) > known[0] // 2:  # a whole batch, not the whole data
                continue
            beside = [r() for r in self._beside[id(_root(a))]]
            if any(t is b for t in targets for b in beside) and not any(
                id(t) in self._permuted for t in targets
            ):
                count, _ = self._alone.get(known[2], (0, 0))
                self._alone[known[2]] = (count + 1, known[0])

    def _meet_arrays(self, arrays: list[np.ndarray]) -> None:
        found = {}
        for a in arrays:
            known = self._permuted.get(id(_root(a)))
            if known is not None:
                found[known[1]] = known
        several = list(found.values())
        for a in several:
            for b in several:
                if a[0] == b[0] and a[1] != b[1] and self._misaligned is None:
                    self._misaligned = (a[2], b[2], a[0])

    # ---- labels ---------------------------------------------------------------------------------

    def loader_made(self, loader: Any, where: Position) -> None:
        kind = type(getattr(loader, "sampler", None)).__name__
        if kind == "SequentialSampler" and self._loader is NOWHERE:
            self._loader = where

    def indexed(self, result: Any, where: Position) -> None:
        """A piece of a column was taken: perhaps the labels of a batch."""
        a = array(result)
        if a is not None and where.is_users:
            self._pieces[(a.ctypes.data, a.size)] = where
            if len(self._pieces) > MOST_PIECES:
                del self._pieces[next(iter(self._pieces))]

    def _labels(self, target: Any, this: Pass) -> None:
        if not isinstance(target, np.ndarray) or target.ndim != 1 or target.dtype.kind not in "iu":
            return
        if target.size < 4:
            return
        loss = next(iter(this.of(*LOSSES)), None)
        used = this.site.position if loss is None else of_node(loss.node)
        taken = self._pieces.get((target.ctypes.data, target.size))
        self._where = taken or (used if used.is_users else this.site.position)
        counts = np.unique(target, return_counts=True)
        for label, count in zip(*counts, strict=True):
            self._counts[int(label)] = self._counts.get(int(label), 0) + int(count)
        self._batches.append(_entropy(counts[1]))
        most = int(counts[0][counts[1].argmax()])
        self._changes += self._batches[1:] != [] and most != self._most
        self._most = most

    def findings(self) -> Iterator[Finding]:
        if self._misaligned is not None:
            first, second, length = self._misaligned
            later = second if second.line >= first.line else first
            yield Finding(
                self.id,
                ERROR,
                later,
                "inputs and targets are shuffled by different permutations: labels belong to "
                "other samples",
                [f"two permutations of {length} rows, at {first.short} and {second.short}"],
                "index = torch.randperm(n); x, y = x[index], y[index]",
            )
            return
        for where, (count, length) in self._alone.items():
            if count >= ENOUGH and not self.run.learns():
                yield Finding(
                    self.id,
                    ERROR,
                    where,
                    "the inputs are shuffled, their targets are not: labels belong to other "
                    "samples",
                    [f"{length} rows are permuted here, the targets of {count} passes are not"],
                    "index = torch.randperm(n); x, y = x[index], y[index]",
                )
                return
        torn = self._pairings.torn()
        if torn is not None:
            yield self._torn(torn)
            return
        apart = next((pair for at in self.run.sites if (pair := shuffled_apart(at.file))), None)
        if apart is not None:
            first, second = apart
            yield Finding(
                self.id,
                ERROR,
                second,
                "inputs and targets are shuffled by different permutations: labels belong to "
                "other samples",
                [f"each line draws a permutation of its own: {first.short} and {second.short}"],
                "index = rng.permutation(n); x, y = x[index], y[index]",
            )
            return
        if len(self._batches) < ENOUGH or len(self._counts) < 2 or self._alternates():
            return
        whole = _entropy(np.array(list(self._counts.values())))
        within = float(np.mean(self._batches))
        if whole > 0.3 and within < FEW * whole:
            yield Finding(
                self.id,
                WARNING,
                self._loader if self._loader is not NOWHERE else self._where,
                "the data is sorted by class and not shuffled: a batch holds nearly one class",
                [
                    f"the entropy of labels within a batch is {within:.2g} of {whole:.2g} nats, "
                    f"over {len(self._batches)} batches with {len(self._counts)} classes"
                ],
                "DataLoader(dataset, batch_size, shuffle=True)",
            )

    def _alternates(self) -> bool:
        """Whether the class changes with nearly every batch: real and fake ones, by design."""
        return len(self._counts) == 2 and self._changes > 0.4 * (len(self._batches) - 1)

    def _torn(self, data: Snapshot) -> Finding:
        lines = sorted(data.lines, key=lambda at: at.line)
        rows = max(len(pairs) for pairs in data.pairs)
        return Finding(
            self.id,
            ERROR,
            used_at(lines[-1]),
            "inputs and targets were shuffled apart: labels belong to other samples",
            [
                f"{data.length} rows were shuffled at {', '.join(at.short for at in lines)}; of "
                f"{rows} samples that were trained on, the targets have nothing to do with those "
                "that lay beside the same inputs before"
            ],
            "index = rng.permutation(n); x, y = x[index], y[index]",
        )


def used_at(drawn: Position) -> Position:
    """The line that indexes by a permutation which a line drew into a variable of its own."""
    name = drawn.target
    if not name or drawn.code is None:
        return drawn
    try:
        tree = ast.parse("".join(linecache.getlines(drawn.file)))
    except (SyntaxError, ValueError):
        return drawn
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.slice))
        and node.lineno > drawn.line
    ]
    return LinePosition(drawn.file, min(lines)) if lines else drawn


def _yes_or_no(target: Any) -> np.ndarray | None:
    """The answers of a batch as classes, if they are nothing but 0 and 1."""
    if not isinstance(target, np.ndarray) or target.dtype.kind != "f" or target.ndim < 1:
        return None
    flat = target.reshape(-1)
    if flat.size != len(target) or not np.isin(flat, (0, 1)).all():
        return None
    return flat.astype(np.int64)


def _targets(this: Pass) -> list[np.ndarray]:
    found = [v.saved().get("target", v.saved().get("y")) for v in this.of(*LOSSES)]
    return [t for t in found if isinstance(t, np.ndarray)]


def _distinct(arrays: list[np.ndarray]) -> list[np.ndarray]:
    return list({id(a): a for a in arrays}.values())


def shuffled_apart(file: str) -> tuple[Position, Position] | None:
    """Two neighbouring statements `x = x[rng.permutation(n)]`, `y = y[rng.permutation(n)]`.

    Arrays of NumPy are indexed unheard: the program's text says what it does to them.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    for block in ast.walk(tree):
        lines = getattr(block, "body", None)
        found = [s for s in lines if _shuffles_itself(s)] if isinstance(lines, list) else []
        for a, b in itertools.pairwise(found):
            if b.lineno - a.lineno <= 3 and a.targets[0].id != b.targets[0].id:
                return LinePosition(file, a.lineno), LinePosition(file, b.lineno)
    return None


def _shuffles_itself(statement: Any) -> bool:
    """Whether a statement is `x = x[<permutation drawn here>]`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Subscript):
        return False
    target, value = statement.targets[0], statement.value
    drawn = isinstance(value.slice, ast.Call) and isinstance(value.slice.func, ast.Attribute)
    if not drawn or value.slice.func.attr not in ("permutation", "randperm"):  # type: ignore[attr-defined]
        return False
    if not isinstance(target, ast.Name) or not isinstance(value.value, ast.Name):
        return False
    return target.id == value.value.id


def _beside(length: int, own: np.ndarray) -> list[Any]:
    """The data in the variables of the running function that is as long as some other."""
    frame = users_frame()
    if frame is None:
        return []
    holder = frame.f_locals.get("self")
    known = [frame.f_locals, frame.f_globals, getattr(holder, "__dict__", {})]
    found = [a for space in known for x in list(space.values()) if (a := _rows_of(x)) is not None]
    return [ref(_root(a)) for a in found if len(a) == length and _root(a) is not own]


def _rows_of(x: Any) -> np.ndarray | None:
    a = x if isinstance(x, np.ndarray) else array(x) if isinstance(x, TensorBase) else None
    return a if a is not None and a.ndim else None


def _entropy(counts: np.ndarray) -> float:
    p = counts / counts.sum()
    return float(-(p * np.log(np.maximum(p, 1e-12))).sum())


def _memory(tensor: Any) -> np.ndarray | None:
    a = array(tensor)
    return None if a is None else _root(a)


def _root(a: np.ndarray) -> np.ndarray:
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a
