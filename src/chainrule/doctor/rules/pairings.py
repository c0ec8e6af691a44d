"""Which input belonged to which target before the data was shuffled, and whether it still does.

Where a permutation is drawn or something is shuffled, the arrays of that length in the running
function lie side by side: their rows are remembered. In the passes that follow the rows of the
inputs are found again, and the targets beside them are compared with those of before. It does not
matter how the data was shuffled, copied or loaded in between.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from ...autograd.value import TensorBase
from ..positions import Position, users_frame
from ..run import Run
from ..taps import Taps
from .base import array

FEWEST = 8  # rows of data that is worth a look
MOST_ROWS, MOST_DRAWS = 20_000, 4
MOST_PAIRS, ENOUGH_PAIRS = 4_000, 40
WIDTH = 16  # values of a row that are compared
APART = 0.25  # of the dependence that equal pairs have


class Snapshot:
    """Arrays of one length at the time of a draw."""

    def __init__(self, length: int, columns: list[np.ndarray], where: Position, kind: str) -> None:
        self.length = length
        self.kind = kind  # how rows are drawn; another way of drawing is not to blame
        self.lines = [where]
        self.targets = [c.reshape(-1).copy() for c in columns if c.size == length]
        self.rows: dict[int, int] = {}
        for c in columns:
            for k, row in enumerate(_rows(c)):
                self.rows[row] = -1 if row in self.rows else k  # -1: not unique
        self.pairs: list[list[tuple[float, float]]] = [[] for _ in self.targets]

    def meet(self, inputs: np.ndarray, target: np.ndarray) -> None:
        """A batch of a pass: what was beside each of its rows, and what is beside it now."""
        found = [self.rows.get(row, -1) for row in _rows(inputs)]
        if not found or min(found) < 0 or len(found) != target.size:
            return
        now = target.reshape(-1).astype(np.float32)
        for pairs, before in zip(self.pairs, self.targets, strict=True):
            if len(pairs) < MOST_PAIRS:
                then = before[found].astype(np.float32)
                pairs += zip(then.tolist(), now.tolist(), strict=True)

    def is_torn_apart(self) -> bool:
        """Whether some column holds the targets of now, in an order that has nothing to do with
        theirs; none may agree with them."""
        torn = False
        for pairs, before in zip(self.pairs, self.targets, strict=True):
            if len(pairs) < ENOUGH_PAIRS:
                continue
            then, now = np.array(pairs).T
            if dependence(then, now) > APART:
                return False
            torn = torn or bool(np.isin(now, before.astype(np.float32)).all())
        return torn


class Pairings:
    """The snapshots of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.snapshots: list[Snapshot] = []
        self._taps = Taps()

    # ---- where data is shuffled ------------------------------------------------------------------

    def listening_began(self) -> None:
        import chainrule as torch

        taps = self._taps
        for name in ("shuffle", "permutation"):
            taps.before(np.random, name, self._drawn)
        taps.before(random, "shuffle", self._drawn)
        taps.before(torch, "randperm", self._drawn)
        taps.before(torch, "randint", self._drawn_with_repetition)
        taps.before(np.random, "randint", self._drawn_with_repetition)
        taps.replace(np.random, "default_rng", self._heard_generators)

    def listening_ended(self) -> None:
        self._taps.remove()

    def _heard_generators(self, original: Callable[..., Any]) -> Callable[..., Any]:
        drawn = self._drawn

        class Heard(np.random.Generator):
            def shuffle(self, x: Any, *args: Any, **options: Any) -> None:
                drawn(x)
                super().shuffle(x, *args, **options)

            def permutation(self, x: Any, *args: Any, **options: Any) -> Any:
                drawn(x)
                return super().permutation(x, *args, **options)

        def default_rng(*args: Any, **options: Any) -> Any:
            made = original(*args, **options)
            return Heard(made.bit_generator) if type(made) is np.random.Generator else made

        return default_rng

    def _drawn_with_repetition(self, low: Any, high: Any = None, *_a: Any, **options: Any) -> None:
        """Rows are drawn by `randint(0, n, ...)`."""
        high = options.get("high", high)
        rows = high if isinstance(high, int) else low
        if self.run.looking and isinstance(rows, int):
            self._note(rows, rows, sys._getframe(2), "repetition")

    def loader_made(self, loader: Any, where: Position) -> None:
        """A loader shuffles the data that it is given."""
        sampler = type(getattr(loader, "sampler", None)).__name__
        frame = users_frame(2)
        if sampler == "RandomSampler" and frame is not None and where.is_users:
            self._note(_length(loader.dataset), None, frame, "loader")

    def _drawn(self, what: Any = None, *_args: Any, **options: Any) -> None:
        """A permutation of a number of rows is drawn, or of something itself."""
        what = options.get("x", options.get("n", what))
        length = what if isinstance(what, int | np.integer) else _length(what)
        self._note(int(length), what, sys._getframe(2), "permutation")

    def _note(self, length: int, what: Any, caller: FrameType, kind: str) -> None:
        where = Position(caller.f_code, caller.f_lasti)
        if not FEWEST <= length <= MOST_ROWS or not where.is_users:
            return  # loaders draw permutations of their own
        known = next((s for s in self.snapshots if s.length == length), None)
        if known is not None:
            is_new = where not in known.lines and known.kind == kind
            if is_new and len(known.lines) < MOST_DRAWS:
                known.lines.append(where)
        elif len(self.snapshots) < MOST_DRAWS:
            columns = columns_of(length, what)
            if len(columns) > 1:
                self.snapshots.append(Snapshot(length, columns, where, kind))

    # ---- what is trained on ----------------------------------------------------------------------

    def meet(self, inputs: list[np.ndarray], targets: list[np.ndarray]) -> None:
        """The inputs and targets of a pass."""
        for snapshot in self.snapshots:
            for x in inputs:
                for y in targets:
                    if x.ndim and y.size == len(x) and x is not y:
                        snapshot.meet(x, y)

    def torn(self) -> Snapshot | None:
        """Data whose inputs and targets no longer belong together."""
        return next((s for s in self.snapshots if s.is_torn_apart()), None)


def columns_of(length: int, what: Any) -> list[np.ndarray]:
    """The data in the variables of the running function that is so long, and what is shuffled."""
    frame = users_frame()
    if frame is None:
        return []
    holder = frame.f_locals.get("self")
    spaces = [frame.f_locals, frame.f_globals, getattr(holder, "__dict__", {}), {"": what}]
    found = {id(x): x for space in spaces for x in list(space.values())}
    return [c for x in found.values() for c in _column(x, length)]


def _column(x: Any, length: int) -> Iterator[np.ndarray]:
    """Something that may be a column of the data, as an array."""
    if isinstance(x, list | tuple) and len(x) == length:
        x = _table(x)
    a = array(x) if isinstance(x, TensorBase) else x
    if isinstance(a, np.ndarray) and a.ndim and len(a) == length and a.dtype.kind in "fiub":
        yield a


def _table(x: Any) -> np.ndarray | None:
    """A list of numbers, or of rows of them, as an array."""
    first = x[0]
    if isinstance(first, TensorBase):
        x = [array(row) if isinstance(row, TensorBase) else row for row in x]
    elif not isinstance(first, int | float | list | tuple | np.ndarray):
        return None
    try:
        found = np.asarray(x)
    except ValueError:
        return None
    return found if found.dtype.kind in "fiub" else None


def _length(what: Any) -> int:
    try:
        return len(what)
    except TypeError:
        return 0


def _rows(a: np.ndarray) -> list[int]:
    """A number per row that tells it from others; none for plain columns."""
    flat = a.reshape(len(a), -1)
    if a.ndim < 2 or flat.shape[1] < 2:
        return []
    some = flat[:, :: max(1, flat.shape[1] // WIDTH)].astype(np.float32)
    return [hash(row.tobytes()) for row in np.ascontiguousarray(some)]


def dependence(a: np.ndarray, b: np.ndarray) -> float:
    """How well one column tells the other, from 0 to 1: classes by Cramer's V, numbers by
    their correlation."""
    kinds, i = np.unique(a, return_inverse=True)
    others, j = np.unique(b, return_inverse=True)
    if len(kinds) < 2 or len(others) < 2:
        return 1.0  # nothing to tell apart
    if len(kinds) * len(others) > len(a):  # too many to count pairs of them
        return abs(float(np.corrcoef(a, b)[0, 1]))
    table = np.zeros((len(kinds), len(others)))
    np.add.at(table, (i, j), 1.0)
    expected = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / len(a)
    freedom = (len(kinds) - 1) * (len(others) - 1)  # what chance alone gives
    excess = float(((table - expected) ** 2 / expected).sum()) - freedom
    return math.sqrt(max(0.0, excess) / (len(a) * (min(len(kinds), len(others)) - 1)))


__all__ = ["Pairings", "Snapshot", "dependence"]
