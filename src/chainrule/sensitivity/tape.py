"""What the function computed, number by number: each entry an op of the table and its arguments.

The values are made by Python and NumPy themselves, so a traced run gives the bits of a plain one;
the derivative of an entry is the op table's rule, run on arrays when somebody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ..autograd import source
from ..ops.schema import TABLE, Op, rule_names
from ..ops.worlds import ARRAYS
from . import userland
from .errors import TraceError

Place = tuple[CodeType | None, int]


class Entry(NamedTuple):
    """One number: an input (`op` is None), or an op on earlier numbers and constants."""

    op: Op | None
    parents: tuple[int | None, ...]  # positions on the tape; None for a constant
    numbers: tuple[float, ...]  # the arguments' values
    value: float
    place: Place


@dataclass(frozen=True)
class Decision:
    """A comparison that the program's course may hang on."""

    text: str  # "12.0 > 10.0"
    outcome: bool
    place: Place
    gap: float  # how far apart the compared numbers are
    parents: tuple[int, ...]

    @property
    def where(self) -> str:
        return source.describe(*self.place)


@dataclass(frozen=True)
class Event:
    """Something else worth telling: a flat step (floor, round), a conversion to text."""

    kind: str  # "flat" or "text"
    what: str
    place: Place
    parents: tuple[int, ...]

    @property
    def where(self) -> str:
        return source.describe(*self.place)


@dataclass
class Tape:
    """One traced run."""

    entries: list[Entry] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    lost: list[TraceError] = field(default_factory=list)  # raised; the function may have caught it
    open: bool = True  # once closed, what is left of its numbers acts as plain floats
    _partials: dict[tuple[int, int], float] = field(default_factory=dict)

    def add_input(self, value: float) -> int:
        self.entries.append(Entry(None, (), (), value, (None, 0)))
        return len(self.entries) - 1

    def add(
        self, name: str, parents: Sequence[int | None], numbers: Sequence[float], value: float
    ) -> int:
        place = userland.position()
        self.entries.append(Entry(TABLE[name], tuple(parents), tuple(numbers), value, place))
        return len(self.entries) - 1

    def note(self, kind: str, what: str, *parents: int) -> None:
        """Remember an event, once per place: a loop says it once."""
        event = Event(kind, what, userland.position(), parents)
        if not any((e.kind, e.what, e.place) == (kind, what, event.place) for e in self.events):
            self.events.append(event)

    def refuse(self, message: str) -> TraceError:
        """The error to raise. It is kept, so that a function cannot swallow it unnoticed."""
        error = TraceError(f"{message}\n  at {userland.here()}")
        self.lost.append(error)
        return error

    # ---- derivatives ----

    def partial(self, index: int, position: int) -> float:
        """The local derivative of an entry by one of its arguments."""
        known = self._partials.get((index, position))
        if known is None:
            entry = self.entries[index]
            assert entry.op is not None
            with np.errstate(all="ignore"):
                known = _partial(entry.op, position, entry.numbers, entry.value)
            self._partials[index, position] = known
        return known

    def adjoints(self, output: int) -> list[float]:
        """d output / d entry for every entry: one pass from the output back."""
        slopes = [0.0] * len(self.entries)
        slopes[output] = 1.0
        for index in range(output, -1, -1):
            slope = slopes[index]
            if slope == 0.0:  # not reached: its local derivatives are not even computed
                continue
            for position, parent in enumerate(self.entries[index].parents):
                if parent is not None:
                    slopes[parent] += slope * self.partial(index, position)
        return slopes

    def tangents(self, start: int) -> list[float]:
        """d entry / d start for every entry: one pass forwards."""
        slopes = [0.0] * len(self.entries)
        slopes[start] = 1.0
        for index in range(start + 1, len(self.entries)):
            total = 0.0
            for position, parent in enumerate(self.entries[index].parents):
                if parent is not None and slopes[parent] != 0.0:
                    total += slopes[parent] * self.partial(index, position)
            slopes[index] = total
        return slopes


def _partial(op: Op, position: int, numbers: tuple[float, ...], value: float) -> float:
    stem = op.input_name(position)
    rule = op.partials.get(stem) or op.vjps.get(stem)
    if rule is None:
        raise TraceError(f"the op table has no derivative of {op.name} by its {stem}")
    arguments = [_rule_argument(op, name, numbers, value) for name in rule_names(rule)]
    return float(ARRAYS.bind(rule)(*arguments))


def _rule_argument(op: Op, name: str, numbers: tuple[float, ...], value: float) -> Any:
    if name == "g":
        return np.ones(())
    kind, detail = op.classify(name)
    if kind == "in":
        return np.asarray(numbers[detail], np.float64)
    if kind == "out":
        return np.asarray(value, np.float64)
    if kind == "param":
        raise TraceError(f"{op.name} is not an op of plain numbers")  # none of ours has any
    return {"shape": (), "ndim": 0, "dtype": np.dtype(np.float64)}[kind.rpartition("_")[2]]
