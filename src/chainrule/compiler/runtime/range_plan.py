"""Plans for a range of lengths: each runs calls of every length that it has room for."""

from __future__ import annotations

from typing import Any

from ..graph.program import Graph
from ..passes.lengths import Axes, padded, unpadded, varies
from ..passes.ranges import Built, Length, Template
from .plan import InputChanged, Plan

_SMALLEST = 8
_COARSE = 32  # up to here rooms are powers of two


class _Place:
    """Where calls of one length run."""

    def __init__(self, plan: Plan, built: Built, extras: list[Any]) -> None:
        self.run = plan.run
        self.room = built.room
        self.extras = extras


class RangePlan:
    """Runs a program for all lengths that `admit` was asked about."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self._padded = [(i, axes) for i, axes in enumerate(template.inputs) if _vary(axes)]
        self._cut = [
            (i, axes) for i, axes in enumerate(template.outputs) if axes is not None and _vary(axes)
        ]
        at, axes = self._padded[0]
        axis = next(k for k, one in enumerate(axes) if varies(one))
        self._where = at, axis, axes[axis][0].plus
        self.plans: dict[int, tuple[Built, Plan]] = {}
        self._places: dict[int, _Place] = {}

    def admit(self, graph: Graph) -> None:
        """Make sure that a program of another length is this one; raises `Unfit`."""
        length = self.template.fit(graph)
        built, plan = self._with_room(length)
        self._places[length.n] = _Place(plan, built, self.template.extras(built, length))

    def _with_room(self, length: Length) -> tuple[Built, Plan]:
        room = room_for(length.n)
        if room not in self.plans:
            built = self.template.build(room)
            self.plans[room] = built, Plan(built.graph)
        return self.plans[room]

    def run(self, arrays: list[Any]) -> list[Any]:
        """Run on these inputs: they are padded, results are cut."""
        at, axis, plus = self._where
        n = arrays[at].shape[axis] - plus
        place = self._places.get(n)
        if place is None:
            raise InputChanged(f"the plan was not asked about length {n}")
        room = place.room
        given = list(arrays)
        for i, axes in self._padded:
            given[i] = padded(arrays[i], axes, n, room)
        outputs = place.run(given + place.extras)
        for i, axes in self._cut:
            outputs[i] = unpadded(outputs[i], axes, n, room)
        return outputs

    def explain(self) -> str:
        """The plans, with the lengths that they have run."""
        lengths = ", ".join(map(str, sorted(self._places)))
        parts = [f"lengths {lengths}, in plans with room for {', '.join(map(str, self.plans))}"]
        parts += [plan.explain() for _, plan in self.plans.values()]
        return "\n\n".join(parts)


def room_for(n: int) -> int:
    """The next power of two, or three quarters of it: what lies beyond a length is computed too."""
    room = _SMALLEST
    while room < n:
        room *= 2
    return room * 3 // 4 if room > _COARSE and n <= room * 3 // 4 else room


def _vary(axes: Axes) -> bool:
    return any(map(varies, axes))
