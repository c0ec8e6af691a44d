"""Questions about all paths at once: each one backward pass over the links in another arithmetic.

The gradient is the sum over paths of products of links. With other operations in place of + and x
the same pass counts the paths, finds the strongest, weighs them by size, or measures how evenly
the size is spread: linear in the number of links, though the paths may be 10^20.

Weights are kept as logarithms, so that no product over- or underflows.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..reading import Link
from .between import Between, collect

Weights = Mapping[int, float]  # id(link) -> its derivative (or gain)


def count_paths(between: Between) -> dict[int, int]:
    """How many paths lead from each vertex to the target; exact, however many."""
    return collect(between, 1, lambda total, link, below: (total or 0) + below)


def sum_product(between: Between, weights: Weights) -> dict[int, float]:
    """The derivative of each vertex by the target: ordinary backward, seen from the target."""

    def join(total: float | None, link: Link, below: float) -> float:
        term = weights[id(link)] * below
        return term if total is None else total + term

    return collect(between, 1.0, join)


@dataclass(frozen=True, slots=True)
class Spread:
    """The sizes of all paths together."""

    log_total: float  # natural logarithm of the sum of |contribution|
    entropy: float  # of |contribution| / total, in nats: e**entropy paths carry it, as it were


def spread(between: Between, weights: Weights) -> dict[int, Spread]:
    """Total absolute weight and its entropy, per vertex."""
    made: dict[int, Spread] = {}
    start = Spread(0.0, 0.0)
    for v in reversed(between.order):
        parts = []
        for link in between.inputs(v):
            below = start if between.ends(link) else made[link.parent.key]
            parts.append((log_size(weights[id(link)]) + below.log_total, below.entropy))
        made[v.key] = _joined(parts)
    return made


def _joined(parts: list[tuple[float, float]]) -> Spread:
    if len(parts) == 1:
        return Spread(*parts[0])
    top = max(size for size, _ in parts)
    if not math.isfinite(top):  # nothing flows, or something is infinite
        return Spread(top, 0.0)
    total = top + math.log(math.fsum(math.exp(size - top) for size, _ in parts))
    entropy = 0.0
    for size, below in parts:
        share = math.exp(size - total)
        if share > 0:
            entropy += share * (below + total - size)
    return Spread(total, entropy)


def log_size(weight: float) -> float:
    """log |weight|; NaN counts as infinite, so that it is looked at first."""
    if weight != weight:
        return math.inf
    return math.log(abs(weight)) if weight else -math.inf


def strongest(between: Between, weights: Weights, k: int) -> list[tuple[Link, ...]]:
    """The k paths of largest |product|, strongest first, each as its links from the output.

    Every vertex keeps its k best ways to the target as (size, link, rank at the link's parent).
    A vertex with one way on keeps nothing: it is passed through, so a long chain costs nothing.
    """
    root = between.tape.root
    if between.is_target(root, between.tape.root_nr):
        return [()]
    best: dict[int, list[tuple[float, Link, int]]] = {}
    through: dict[int, tuple[float, int]] = {}  # single ways on: (size, key where it branches next)
    for v in reversed(between.order):
        links = between.inputs(v)
        if len(links) == 1:
            through[v.key] = _one_way(links[0], between, weights, through)
            continue
        offers = []
        for link in links:
            size = log_size(weights[id(link)])
            offers.append(_ways(link, size, between, best, through, k))
        best[v.key] = heapq.nsmallest(k, (o for some in offers for o in some), key=lambda o: -o[0])
    return [_path(root, rank, between, best) for rank in range(_ranks(root, through, best))]


_TARGET = 0  # no vertex has this key: nodes are negative, leaves are addresses


def _one_way(
    link: Link, between: Between, weights: Weights, through: dict[int, tuple[float, int]]
) -> tuple[float, int]:
    size = log_size(weights[id(link)])
    if between.ends(link):
        return size, _TARGET
    below = through.get(link.parent.key)
    return (size, link.parent.key) if below is None else (_plus(size, below[0]), below[1])


def _ways(
    link: Link, size: float, between: Between,
    best: dict[int, list[tuple[float, Link, int]]], through: dict[int, tuple[float, int]], k: int,
) -> list[tuple[float, Link, int]]:  # fmt: skip
    """The best ways from a vertex that begin with one of its links."""
    if between.ends(link):
        return [(size, link, 0)]
    key = link.parent.key
    if key in through:
        more, key = through[key]
        size = _plus(size, more)
    if key == _TARGET:
        return [(size, link, 0)]
    return [(_plus(size, below), link, rank) for rank, (below, _, _) in enumerate(best[key][:k])]


def _plus(a: float, b: float) -> float:
    return math.inf if math.inf in (a, b) else a + b


def _ranks(root, through, best) -> int:  # type: ignore[no-untyped-def]
    key = root.key
    if key in through:
        key = through[key][1]
    return 1 if key == _TARGET else len(best[key])


def _path(root, rank: int, between: Between, best) -> tuple[Link, ...]:  # type: ignore[no-untyped-def]
    """Follow the notes from the output to the target."""
    path: list[Link] = []
    v = root
    while True:
        links = between.inputs(v)
        if len(links) == 1:
            link = links[0]
        else:
            _, link, rank = best[v.key][rank]
        path.append(link)
        if between.ends(link):
            return tuple(path)
        v = link.parent


__all__ = ["Spread", "count_paths", "log_size", "spread", "strongest", "sum_product"]
