"""The part of a graph that lies between an output and one tensor behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..reading import Link, Tape, Vertex


class Between:
    """The vertices and links on some path from the output to the target."""

    def __init__(self, tape: Tape, target: Vertex, nr: int) -> None:
        self.tape = tape
        self.target = target
        self.nr = nr
        reached: set[int] = set()
        links: dict[int, list[Link]] = {}
        for v in reversed(tape.order):  # leaves first, then as recorded
            own = [
                link
                for link in v.inputs
                if link.parent.key in reached or (link.parent is target and link.nr == nr)
            ]
            if own:
                reached.add(v.key)
                links[v.key] = own
        self._places: dict[int, int] = {}
        self.found = tape.root.key in reached or self.is_target(tape.root, tape.root_nr)
        self._links = self._below_root(links)
        # Latest first: every vertex on a path, without the target.
        self.order = [v for v in tape.order if v.key in self._links]

    def _below_root(self, links: dict[int, list[Link]]) -> dict[int, list[Link]]:
        """Only what the output itself leads to (it always does: the tape was read from there)."""
        return {} if self.is_target(self.tape.root, self.tape.root_nr) else links

    def is_target(self, v: Vertex, nr: int) -> bool:
        return v is self.target and nr == self.nr

    def inputs(self, v: Vertex) -> list[Link]:
        """The links of a vertex that lead to the target."""
        return self._links.get(v.key, [])

    def has(self, v: Vertex) -> bool:
        """Whether a vertex lies on a path (the target itself does not count)."""
        return v.key in self._links

    def position(self, v: Vertex) -> int:
        """Where a vertex stands in the order."""
        if not self._places:
            self._places = {one.key: k for k, one in enumerate(self.order)}
        return self._places[v.key]

    def between(self, upper: Vertex, lower: Vertex) -> list[Vertex]:
        """The vertices from one that every path passes up to, but without, the next such one."""
        end = self.position(lower) if self.has(lower) else len(self.order)
        return self.order[self.position(upper) : end]

    def ends(self, link: Link) -> bool:
        """Whether a link arrives at the target."""
        return self.is_target(link.parent, link.nr)

    def mask(self, v: Vertex) -> tuple[Any, ...]:
        """The parents of a node's rules, None where no path to the target goes."""
        links = self.inputs(v)
        if len(links) == len(v.node.parents):
            return v.node.parents
        wanted = {link.position for link in links}
        return tuple(p if k in wanted else None for k, p in enumerate(v.node.parents))


def collect(between: Between, start: Any, join: Callable[[Any, Link, Any], Any]) -> dict[int, Any]:
    """Fold the paths from each vertex to the target: parents before children, each link once.

    `start` is the value at the target; `join(so far or None, link, value at its parent)` takes one
    more link into a vertex's value.
    """
    values: dict[int, Any] = {}
    for v in reversed(between.order):
        total = None
        for link in between.inputs(v):
            total = join(total, link, start if between.ends(link) else values[link.parent.key])
        values[v.key] = total
    return values


__all__ = ["Between", "collect"]
