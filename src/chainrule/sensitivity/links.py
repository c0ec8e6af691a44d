"""From the tape to a chain of named steps: the graph of the user's variables, and its paths.

Between named numbers the tape is contracted: the multiplier of a link from u to v is the derivative
of v by u with every other named number held. A derivative is then the sum over all paths of the
products of their links, exactly.
"""

from __future__ import annotations

import heapq
import linecache
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..autograd import source
from .running import Run
from .watching import Name


@dataclass(frozen=True)
class Step:
    """A named number of the function."""

    name: str
    value: float
    file: str = ""
    line: int = 0

    @property
    def code(self) -> str:
        """The user's line that set it."""
        return linecache.getline(self.file, self.line).strip() if self.line else ""

    @property
    def where(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else ""


@dataclass(frozen=True)
class Link:
    """One link: a change of `source` by one changes `target` by `multiplier`."""

    source: Step
    target: Step
    multiplier: float
    running: float  # product of the chain up to here

    @property
    def name(self) -> str:
        return f"{self.source.name} -> {self.target.name}"

    def __str__(self) -> str:
        return f"{self.name}: x {self.multiplier:.6g}"


@dataclass(frozen=True)
class Path(Sequence[Link]):
    """A chain of links from an input to the output."""

    links: tuple[Link, ...]

    @property
    def contribution(self) -> float:
        """The product of the links: this path's part of the derivative."""
        return math.prod(link.multiplier for link in self.links)

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.links[0].source, *(link.target for link in self.links)) if self.links else ()

    @property
    def biggest_link(self) -> Link:
        """The link with the largest multiplier in size."""
        return max(self.links, key=lambda link: abs(link.multiplier))

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.links[index]

    def __len__(self) -> int:
        return len(self.links)

    def __str__(self) -> str:
        return " -> ".join(step.name for step in self.steps)


class VariableGraph:
    """The named numbers between the inputs and one output, with the links between them."""

    def __init__(self, run: Run, output: int, output_name: str) -> None:
        self.run, self.output = run, output
        self.links: dict[int, dict[int, float]] = {}  # number -> {named number before it: slope}
        self.steps = self._steps(output_name)
        # The output last; everything that leads to it through named numbers.
        waiting = [output]
        while waiting:
            index = waiting.pop()
            if index not in self.links:
                self.links[index] = self._links_into(index)
                waiting += self.links[index]

    def _steps(self, output_name: str) -> dict[int, Step]:
        entries = self.run.tape.entries
        steps = {}
        lines: dict[str, set[int]] = {}  # a variable set on several lines is several steps
        for name in self.run.names.values():
            lines.setdefault(name.text, set()).add(name.line)
        for index, name in self.run.names.items():
            several = len(lines[name.text]) > 1 or name.text in self.run.inputs
            text = f"{name.text} (line {name.line})" if several else name.text
            steps[index] = Step(text, entries[index].value, name.file, name.line)
        for name, index in self.run.inputs.items():
            steps[index] = Step(name, entries[index].value)
        if self.output not in self.run.inputs.values():
            known: Name | None = self.run.names.get(self.output)
            returned = source.line_of(*entries[self.output].place) or ("", 0)
            where = (known.file, known.line) if known else returned
            steps[self.output] = Step(output_name, entries[self.output].value, *where)
        return steps

    def _links_into(self, target: int) -> dict[int, float]:
        """The slopes of a number by the named numbers next before it."""
        tape = self.run.tape
        slopes = {target: 1.0}
        found: dict[int, float] = {}
        waiting = [-target]  # later entries first: each is complete when it is taken
        while waiting:
            index = -heapq.heappop(waiting)
            slope = slopes.pop(index)
            if index != target and index in self.steps:
                found[index] = slope
                continue
            for position, parent in enumerate(tape.entries[index].parents):
                if parent is None:
                    continue
                if parent not in slopes:
                    slopes[parent] = 0.0
                    heapq.heappush(waiting, -parent)
                slopes[parent] += slope * tape.partial(index, position)
        return found

    def order(self) -> list[int]:
        """The named numbers, earliest first."""
        return sorted(self.links)

    def count_paths(self, start: int) -> int:
        """How many paths lead from a number to the output, however many these are."""
        ways = {start: 1}
        for index in self.order():
            if index > start:
                ways[index] = sum(ways.get(k, 0) for k in self.links[index])
        return ways.get(self.output, 0)

    def paths(self, start: int, most: int = 10) -> list[Path]:
        """The paths with the largest contributions, largest first."""
        # best[v]: the strongest ways from start to v, as (size, link before, its rank there).
        best: dict[int, list[tuple[float, int, int]]] = {start: [(1.0, -1, 0)]}
        for index in self.order():
            if index <= start:
                continue
            ways = [
                (_size(size * abs(slope)), before, rank)
                for before, slope in self.links[index].items()
                for rank, (size, _, _) in enumerate(best.get(before, ()))
            ]
            best[index] = heapq.nlargest(most, ways)
        found = [self._path(best, rank) for rank in range(len(best.get(self.output, ())))]
        return [path for path in found if path.links]

    def _path(self, best: dict[int, list[tuple[float, int, int]]], rank: int) -> Path:
        indices = [self.output]
        while True:
            _, before, rank = best[indices[-1]][rank]
            if before < 0:
                break
            indices.append(before)
        indices.reverse()
        return Path(tuple(self._along(indices)))

    def _along(self, indices: list[int]) -> Iterator[Link]:
        running = 1.0
        for before, after in pairwise(indices):
            slope = self.links[after][before]
            running *= slope
            yield Link(self.steps[before], self.steps[after], slope, running)


def _size(x: float) -> float:
    """Sizes are compared: one that is not a number goes last."""
    return -1.0 if math.isnan(x) else x
