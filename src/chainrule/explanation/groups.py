"""Links grouped by line, module or layer: what enters a group, what leaves it, its multiplier."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..reading import Tape, Vertex
from .between import Between

OUTSIDE = "(outside of modules)"


@dataclass(slots=True)
class Group:
    """Part of the graph: how it changes the gradient that passes through."""

    name: str
    ops: list[str]
    entering: float  # size of the gradient that arrives from outside
    leaving: float  # size of the gradient it hands on

    @property
    def gain(self) -> float:
        return self.leaving / self.entering if self.entering else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "ops": self.ops, "entering": self.entering,
                "leaving": self.leaving, "gain": self.gain}  # fmt: skip


def group(
    between: Between, sizes: dict[int, float], seed: float, name_of: Callable[[Vertex], str]
) -> list[Group]:
    """The groups in the order in which the gradient first meets them.

    Sizes of several links are joined as the norm of one long vector.
    """
    groups: dict[str, Group] = {}
    for v in between.order:
        name = name_of(v)
        here = groups.setdefault(name, Group(name, [], 0.0, 0.0))
        if v.op not in here.ops:
            here.ops.append(v.op)
        if v is between.tape.root:
            here.entering = math.hypot(here.entering, seed)
        for link in between.inputs(v):
            size = sizes[id(link)]
            parent = link.parent
            below = None if between.ends(link) or parent.leaf is not None else name_of(parent)
            if below == name:
                continue
            here.leaving = math.hypot(here.leaving, size)
            if below is not None:
                into = groups.setdefault(below, Group(below, [], 0.0, 0.0))
                into.entering = math.hypot(into.entering, size)
    return list(groups.values())


def by_line(v: Vertex) -> str:
    place = v.place
    return f"{place.short}: {place.text}" if place.text else place.short


def by_module(v: Vertex) -> str:
    return v.module or OUTSIDE


def by_layer(tape: Tape) -> Callable[[Vertex], str]:
    """The layer of each vertex: 'blocks.3.mlp.fc' belongs to 'blocks.3'.

    A layer is one of several numbered modules that have parts of their own: in
    '0.layers.3.norm' that is '0.layers.3'. Where there are none, the first number counts.
    """
    paths = {v.module for v in tape.order if v.module}
    layers = _layers({ancestor for path in paths for ancestor in _ancestors(path)})

    def name(v: Vertex) -> str:
        if not v.module:
            return OUTSIDE
        own = _ancestors(v.module)
        numbered = [path for path in own if path.rpartition(".")[2].isdigit()]
        return next((path for path in own if path in layers), (numbered or own)[0])

    return name


def _ancestors(path: str) -> list[str]:
    """'a.b.c' -> ['a', 'a.b', 'a.b.c']."""
    parts = path.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def _layers(paths: set[str]) -> set[str]:
    """The numbered modules with parts of their own that have a sibling of that kind."""
    whole = {path.rpartition(".")[0] for path in paths}  # they contain others
    siblings: dict[str, list[str]] = {}
    for path in whole:
        home, _, last = path.rpartition(".")
        if last.isdigit():
            siblings.setdefault(home, []).append(path)
    return {path for several in siblings.values() if len(several) > 1 for path in several}


__all__ = ["Group", "by_layer", "by_line", "by_module", "group"]
