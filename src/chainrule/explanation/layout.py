"""Where to draw the boxes of an acyclic graph: layers by longest path, few crossings.

Layers go from the inputs at the top to the output at the bottom. A link over several layers is led
through a point in each, so that it does not run behind boxes. The order within a layer comes from
sweeps that sort by the average place of the neighbours; then boxes move to the average of their
neighbours as far as they do not overlap (least squares, by pooling).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

GAP, LAYER_GAP, LANE = 22.0, 46.0, 10.0
SWEEPS = 6


@dataclass(slots=True)
class Place:
    """A box or a bend: its layer, its width, and where it came to lie."""

    layer: int
    width: float
    height: float
    x: float = 0.0  # of its middle
    y: float = 0.0  # of its top


@dataclass(slots=True)
class Layout:
    """Places of the boxes, the bends of each link, and the size of the whole."""

    boxes: list[Place]
    bends: list[list[tuple[float, float]]]
    width: float
    height: float


def lay_out(
    sizes: Sequence[tuple[float, float]],
    links: Sequence[tuple[int, int]],
    layer_gap: float = LAYER_GAP,
) -> Layout:
    """`links` are (input box, box computed from it); the boxes must be free of cycles."""
    layers = _layers(len(sizes), links)
    places = [Place(layers[k], w, h) for k, (w, h) in enumerate(sizes)]
    chains = [_with_bends(a, b, places) for a, b in links]
    rows: list[list[int]] = [[] for _ in range(max((p.layer for p in places), default=0) + 1)]
    for k, p in enumerate(places):
        rows[p.layer].append(k)
    above: list[list[int]] = [[] for _ in places]
    below: list[list[int]] = [[] for _ in places]
    for chain in chains:
        for a, b in pairwise(chain):
            below[a].append(b)
            above[b].append(a)
    _order(rows, above, below)
    _align(rows, places, above, below)
    height = _heights(rows, places, layer_gap)
    left = min((p.x - p.width / 2 for p in places), default=0.0)
    for p in places:
        p.x -= left
    width = max((p.x + p.width / 2 for p in places), default=0.0)
    bends = [[(places[k].x, places[k].y + places[k].height / 2) for k in c[1:-1]] for c in chains]
    return Layout(places[: len(sizes)], bends, width, height)


def _layers(count: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """Longest path from the top; what has no inputs moves down to just above its first use."""
    waiting, uses = [0] * count, [[] for _ in range(count)]  # type: ignore[var-annotated]
    for a, b in links:
        waiting[b] += 1
        uses[a].append(b)
    layer = [0] * count
    ready = [k for k in range(count) if not waiting[k]]
    sources, done = list(ready), 0
    while ready:
        a = ready.pop()
        done += 1
        for b in uses[a]:
            layer[b] = max(layer[b], layer[a] + 1)
            waiting[b] -= 1
            if not waiting[b]:
                ready.append(b)
    if done < count:
        raise ValueError("the boxes form a cycle")
    for k in sources:
        if uses[k]:
            layer[k] = min(layer[b] for b in uses[k]) - 1
    return layer


def _with_bends(a: int, b: int, places: list[Place]) -> list[int]:
    """The link as a chain of neighbours in adjacent layers; new points are put between."""
    chain = [a]
    for layer in range(places[a].layer + 1, places[b].layer):
        places.append(Place(layer, LANE, 0.0))
        chain.append(len(places) - 1)
    return [*chain, b]


def _order(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Sort each layer by where its neighbours are, down and up in turns."""
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for row, other in _pairs(rows, down):
            at = {k: n for n, k in enumerate(other)}
            middle = {}
            for n, k in enumerate(row):
                known = [at[m] for m in neighbours[k] if m in at]
                middle[k] = sum(known) / len(known) if known else n * len(other) / len(row)
            row.sort(key=lambda k, middle=middle: middle[k])


def _pairs(rows: list[list[int]], down: bool) -> list[tuple[list[int], list[int]]]:
    pairs = list(zip(rows[1:], rows, strict=False))
    return pairs if down else [(b, a) for a, b in reversed(pairs)]


def _align(
    rows: list[list[int]], places: list[Place], above: list[list[int]], below: list[list[int]]
) -> None:
    for row in rows:
        _settle(row, [0.0] * len(row), places)
    for sweep in range(2 * SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for row, _ in _pairs(rows, down):
            wished = []
            for k in row:
                near = neighbours[k] or above[k] or below[k]
                wished.append(sum(places[m].x for m in near) / len(near) if near else places[k].x)
            _settle(row, wished, places)


def _settle(row: list[int], wished: list[float], places: list[Place]) -> None:
    """The places nearest to the wished ones that keep order and gaps: pool adjacent violators."""
    offsets, offset = [], 0.0
    for n, k in enumerate(row):
        if n:
            offset += (places[row[n - 1]].width + places[k].width) / 2 + GAP
        offsets.append(offset)
    pools: list[tuple[float, int]] = []  # (mean of wished - offset, how many)
    for n in range(len(row)):
        mean, count = wished[n] - offsets[n], 1
        while pools and pools[-1][0] > mean:
            other, size = pools.pop()
            mean, count = (mean * count + other * size) / (count + size), count + size
        pools.append((mean, count))
    n = 0
    for mean, count in pools:
        for _ in range(count):
            places[row[n]].x = mean + offsets[n]
            n += 1


def _heights(rows: list[list[int]], places: list[Place], layer_gap: float) -> float:
    y = 0.0
    for row in rows:
        tall = max((places[k].height for k in row), default=0.0)
        for k in row:
            places[k].y = y + (tall - places[k].height) / 2
        y += tall + layer_gap
    return max(y - layer_gap, 0.0)


__all__ = ["Layout", "Place", "lay_out"]
