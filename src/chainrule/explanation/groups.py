"""Links grouped by line, module or layer: what enters a group, what leaves it, its multiplier."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..reading import Vertex
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


def by_layer(v: Vertex) -> str:
    """A module's path up to its first number: 'blocks.3.mlp.fc' belongs to 'blocks.3'."""
    parts = v.module.split(".")
    for k, part in enumerate(parts):
        if part.isdigit():
            return ".".join(parts[: k + 1])
    return parts[0] or OUTSIDE


__all__ = ["Group", "by_layer", "by_line", "by_module", "group"]
