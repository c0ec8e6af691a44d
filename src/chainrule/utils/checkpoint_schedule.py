"""Which blocks of a chain to keep and which to compute again: the schedules behind a budget.

A chain is a list of `BlockCost`. A schedule is a list of items, each a `Keep` (a block whose
activations stay until backward) or a `Segment` (a run of blocks of which only the first one's input
stays; backward computes the run again, following the segment's own items). Segments nest.

`frontier(costs)` finds by dynamic programming every useful trade between peak memory and work: a
list of `Schedule`, least memory first, each cheaper in work than the one before. For a run of
blocks i..j the choices are: keep block i and go on with i+1..j, or split at k: remember only the
input of k, do k..j first, then compute i..k again. A schedule's memory is the exact sum of what it
holds at its worst moment, not a rounded one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_MOST_POINTS = 48  # of a frontier: thinned beyond, its ends always stay


@dataclass(frozen=True)
class BlockCost:
    """What one block of a chain costs."""

    inside: int  # bytes that backward needs besides the block's input and output
    input: int  # bytes of its input, which the block before it made
    work: float  # of one forward pass, in any unit
    output: int = 0  # bytes of its own result that its backward needs (the next one's input)


@dataclass(frozen=True)
class Keep:
    """A block whose activations are kept."""

    block: int


@dataclass(frozen=True)
class Segment:
    """Blocks start..end-1, computed again in backward, then following `items`."""

    start: int
    end: int
    items: tuple[Any, ...]


@dataclass(frozen=True)
class Schedule:
    """Items for a chain, the bytes they hold at worst, and the work of the recomputations."""

    memory: int
    work: float
    items: tuple[Any, ...]


def frontier(costs: Sequence[BlockCost]) -> list[Schedule]:
    """The useful schedules of a chain, from least memory to least work.

    >>> block = BlockCost(inside=10, input=1, work=1.0)
    >>> [(s.memory, s.work) for s in frontier([block] * 3)]
    [(11, 3.0), (12, 2.0), (22, 1.0), (32, 0.0)]
    """
    n = len(costs)
    before = [0.0]  # work of all blocks before each
    for cost in costs:
        before.append(before[-1] + cost.work)
    known: dict[Any, list[_Point]] = {}

    def solve(i: int, j: int) -> list[_Point]:
        """The frontier of blocks i..j-1. Equal runs are solved once."""
        key = tuple(costs[i:j])
        found = known.get(key)
        if found is None:
            found = known[key] = _useful(candidates(i, j))
        return found

    def candidates(i: int, j: int) -> list[_Point]:
        if i == j:
            return [(0, 0.0, None)]
        held = costs[i].inside + (costs[i + 1].input if i + 1 < j else costs[i].output)
        made: list[_Point] = [
            (held + m, work, (1, None, tree)) for m, work, tree in solve(i + 1, j)
        ]
        for k in range(i + 1, j):
            again = before[k] - before[i]
            made += _split(solve(i, k), solve(k, j), costs[k].input, again, k - i)
        return made

    return [Schedule(m, work, _items(tree, 0)) for m, work, tree in solve(0, n)]


# Bytes, work, and how it is made: None for no blocks, else (size of the first part, None when it is
# one kept block or the first part's own tree, the rest's tree). Trees know no positions, so parts
# are shared; `_items` gives them places.
_Point = tuple[int, float, Any]


def _split(
    first: list[_Point], rest: list[_Point], boundary: int, again: float, size: int
) -> list[_Point]:
    """Do the rest first, holding the boundary, then compute the first part again."""
    made: list[_Point] = []
    i = j = 0
    memory = max(first[0][0], rest[0][0] + boundary)
    while True:
        while i + 1 < len(first) and first[i + 1][0] <= memory:
            i += 1
        while j + 1 < len(rest) and rest[j + 1][0] + boundary <= memory:
            j += 1
        tree = (size, (first[i][2],), rest[j][2])
        made.append((memory, again + first[i][1] + rest[j][1], tree))
        following = [p[0] for p in first[i + 1 : i + 2]]
        following += [p[0] + boundary for p in rest[j + 1 : j + 2]]
        if not following:
            return made
        memory = min(following)


def _useful(made: list[_Point]) -> list[_Point]:
    """Only what is not both bigger and slower than another, and not too many of it."""
    kept: list[_Point] = []
    for point in sorted(made, key=lambda p: p[:2]):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    if len(kept) <= _MOST_POINTS:
        return kept
    step = (len(kept) - 1) / (_MOST_POINTS - 1)
    return [kept[round(k * step)] for k in range(_MOST_POINTS)]


def _items(tree: Any, start: int) -> tuple[Any, ...]:
    """A tree's parts at their places in the chain."""
    made: list[Any] = []
    while tree is not None:
        size, part, tree = tree
        if part is None:
            made.append(Keep(start))
        else:
            made.append(Segment(start, start + size, _items(part[0], start)))
        start += size
    return tuple(made)


def grouped(costs: Sequence[BlockCost], most: int = 40) -> tuple[list[BlockCost], list[int]]:
    """A long chain as fewer, larger blocks (the search is cubic), and where each of them starts."""
    size = -(-len(costs) // most)
    starts = list(range(0, len(costs), size))
    made = []
    for start in starts:
        part = costs[start : start + size]
        inside = sum(c.inside for c in part) + sum(c.input for c in part[1:])
        work = sum(c.work for c in part)
        made.append(BlockCost(inside, part[0].input, work, part[-1].output))
    return made, [*starts, len(costs)]


def ungrouped(items: tuple[Any, ...], starts: Sequence[int]) -> tuple[Any, ...]:
    """Items for groups as items for their blocks."""
    made: list[Any] = []
    for item in items:
        if isinstance(item, Keep):
            made += [Keep(k) for k in range(starts[item.block], starts[item.block + 1])]
        else:
            inner = ungrouped(item.items, starts)
            made.append(Segment(starts[item.start], starts[item.end], inner))
    return tuple(made)


def cheapest_within(costs: Sequence[BlockCost], budget: float) -> Schedule | None:
    """The schedule with the least recomputation whose memory is within the budget."""
    groups, starts = grouped(costs)
    best = None
    for schedule in frontier(groups):
        if schedule.memory <= budget:
            best = schedule
    if best is None:
        return None
    return Schedule(best.memory, best.work, ungrouped(best.items, starts))


def least_memory(costs: Sequence[BlockCost]) -> int:
    """The smallest budget that `cheapest_within` can meet."""
    return frontier(grouped(costs)[0])[0].memory


def square_root(costs: Sequence[BlockCost]) -> Schedule:
    """The classic schedule: about sqrt(n) segments of equal length, the last one kept."""
    n = len(costs)
    size = max(1, round(math.sqrt(n)))
    starts = list(range(0, n, size))
    return _flat(costs, [(s, min(s + size, n)) for s in starts[:-1]])


def every_block(costs: Sequence[BlockCost]) -> Schedule:
    """Every block is a segment of its own."""
    return _flat(costs, [(k, k + 1) for k in range(len(costs))])


def _flat(costs: Sequence[BlockCost], segments: list[tuple[int, int]]) -> Schedule:
    """A schedule of the given segments without nesting; blocks outside of them are kept."""
    items: list[Any] = []
    position = 0
    for start, end in segments:
        items += [Keep(k) for k in range(position, start)]
        items.append(Segment(start, end, tuple(Keep(k) for k in range(start, end))))
        position = end
    items += [Keep(k) for k in range(position, len(costs))]
    work = sum(c.work for start, end in segments for c in costs[start:end])
    return Schedule(memory_of(costs, tuple(items)), work, tuple(items))


def memory_of(costs: Sequence[BlockCost], items: tuple[Any, ...]) -> int:
    """The bytes a schedule holds at its worst moment."""
    held = peak = 0
    for position, item in enumerate(items):
        start = item.block if isinstance(item, Keep) else item.start
        if position:
            held += costs[start].input
        if isinstance(item, Keep):
            held += costs[item.block].inside
            if position == len(items) - 1:
                held += costs[item.block].output
            peak = max(peak, held)
        else:
            peak = max(peak, held + memory_of(costs, item.items))
    return max(peak, held)
