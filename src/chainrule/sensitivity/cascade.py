"""`from_changes`: a cascade of which only the observed changes are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..autograd.accidents import explain_module
from ..reading.terminal import Block, Report, Table
from .links import Link, Path, Step
from .rendering import Drawn, chain_figure, chain_svg, plain_number


@dataclass(frozen=True)
class Break:
    """One place where the cascade could have been stopped."""

    name: str
    undo: float  # the change that would have had to be undone there
    leverage: float  # what one unit there makes at the end
    cost: float  # of undoing it: its size, or its size times the price per unit


class Cascade(Report, Drawn):
    """A chain of observed changes: each link is the ratio of two of them."""

    def __init__(
        self, changes: list[tuple[str, float]], cost_per_unit: Mapping[str, float]
    ) -> None:
        self.changes = dict(changes)
        self._priced = bool(cost_per_unit)
        links, running = [], 1.0
        for (a, before), (b, after) in pairwise(changes):
            running *= after / before
            links.append(Link(Step(a, before), Step(b, after), after / before, running))
        self.chain = Path(tuple(links))
        end = changes[-1][1]
        self.breaks = [
            Break(name, -change, end / change, abs(change) * cost_per_unit.get(name, 1.0))
            for name, change in changes[:-1]
        ]

    @property
    def links(self) -> list[float]:
        """The multipliers."""
        return [link.multiplier for link in self.chain]

    @property
    def total(self) -> float:
        """The change at the end for one unit at the start."""
        return self.chain.contribution

    derivative = total

    @property
    def biggest_link(self) -> Link:
        """The link with the largest multiplier in size."""
        return self.chain.biggest_link

    @property
    def cheapest_break(self) -> Break:
        """Where the least had to be undone to stop everything after it."""
        return min(self.breaks, key=lambda b: b.cost)

    @property
    def last_chance(self) -> Break:
        """The place right before the biggest multiplier: after it the damage is largest."""
        name = self.biggest_link.source.name
        return next(b for b in self.breaks if b.name == name)

    def blocks(self) -> list[Block]:
        steps = self.chain.steps
        first, last = steps[0].name, steps[-1].name
        table = Table(
            f"{last} changes by {plain_number(self.total)} per unit of {first}",
            ("link", "observed", "multiplier", "product", ""),
        )
        for link in self.chain:
            seen = f"{plain_number(link.source.value)} -> {plain_number(link.target.value)}"
            mark = "<- biggest" if link is self.biggest_link else ""
            numbers = (plain_number(link.multiplier), plain_number(link.running))
            table.rows.append((link.name, seen, *numbers, mark))
        where = Table(
            "where it could have been stopped",
            ("at", "undo", f"{last} per unit there", "cost" if self._priced else "size"),
        )
        for b in self.breaks:
            where.rows.append((b.name, *map(plain_number, (b.undo, b.leverage, b.cost))))
        cheapest, late = self.cheapest_break, self.last_chance
        where.notes.append(
            f"cheapest at {cheapest.name}: undoing {plain_number(abs(cheapest.undo))} there saves "
            f"{plain_number(abs(steps[-1].value))} of {last}"
        )
        if late is not cheapest:
            where.notes.append(
                f"last chance at {late.name}, before the biggest multiplier "
                f"({self.biggest_link.name}, x {plain_number(self.biggest_link.multiplier)})"
            )
        if not self._priced:
            where.notes.append(
                "sizes are compared as numbers, whatever their units; for money give "
                "cost_per_unit={...}"
            )
        return [table, where]

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "changes": self.changes,
            "links": [
                {"from": k.source.name, "to": k.target.name, "multiplier": k.multiplier,
                 "product": k.running}
                for k in self.chain
            ],
            "total": self.total,
            "biggest_link": self.biggest_link.name,
            "cheapest_break": self.cheapest_break.name,
            "last_chance": self.last_chance.name,
            "breaks": [vars(b) for b in self.breaks],
        }  # fmt: skip

    def to_svg(self) -> str:
        return chain_svg(self.chain, self.chain.steps[-1].name)

    def _figure(self) -> Any:
        return chain_figure(self.chain, f"{plain_number(self.total)} per unit")


def from_changes(
    changes: Iterable[tuple[str, float]] | Mapping[str, float],
    *,
    cost_per_unit: Mapping[str, float] | None = None,
) -> Cascade:
    """The links of a cascade from the changes that were seen at each step, in order.

    `cost_per_unit` prices the undoing of one unit at a step; without it sizes are compared.

    >>> import chainrule
    >>> c = chainrule.sensitivity.from_changes([("material", +0.10), ("cost", +1), ("price", +5),
    ...     ("volume", -1000), ("revenue", -50000)])
    >>> c.links
    [10.0, 5.0, -200.0, 50.0]
    >>> round(c.total)
    -500000
    >>> c.biggest_link.name
    'price -> volume'
    """
    pairs = list(changes.items()) if isinstance(changes, Mapping) else list(changes)
    checked = [_checked(pair) for pair in pairs]
    names = [name for name, _ in checked]
    if len(checked) < 2:
        raise ValueError(f"a cascade needs at least two changes, got {len(checked)}")
    if twice := [n for n in names if names.count(n) > 1]:
        raise ValueError(f"{twice[0]!r} is named twice: give every step a name of its own")
    for name, change in checked[:-1]:
        if change == 0:
            raise ValueError(
                f"{name} did not change: what follows it cannot have come from it, and no link "
                "can be computed through it"
            )
    if unknown := [n for n in cost_per_unit or {} if n not in names]:
        raise ValueError(f"cost_per_unit names {unknown[0]!r}; the steps are {', '.join(names)}")
    return Cascade(checked, dict(cost_per_unit or {}))


def _checked(pair: Any) -> tuple[str, float]:
    try:
        name, change = pair
    except (TypeError, ValueError):
        raise TypeError(f"a change is a pair of a name and a number, got {pair!r}") from None
    if not isinstance(name, str) or isinstance(change, bool | str):
        raise TypeError(f"a change is a pair of a name and a number, got {pair!r}")
    try:
        number = float(change)
    except (TypeError, ValueError):
        raise TypeError(f"the change of {name!r} is no number: {change!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"the change of {name!r} is {number}")
    return name, number


explain_module(globals())
