"""The output along one input: its values, its slope, and what the curve says.

An optimum is reported only where it lies inside of the range. A curve that is highest at an end
says nothing about what is best, only that the range ends there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..reading import svg
from ..reading.terminal import Block, Report, Table
from .errors import TraceError
from .rendering import Drawn, new_figure, plain_number

_OUTSIDE = 64  # points looked at on the side where a peak must lie
_MOST_SWITCHES = 5


@dataclass(frozen=True)
class Point:
    """A place on the curve."""

    x: float
    value: float
    slope: float


@dataclass(repr=False)
class Sweep(Report, Drawn):
    """The curve of an output over one input, and its slope (the marginal value)."""

    output: str
    name: str
    points: list[Point]
    maximum: Point | None = None  # of the output, inside of the range
    minimum: Point | None = None
    peak: Point | None = None  # of the slope, inside of the range
    peak_outside: Point | None = None
    verdict: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def diminishing_returns(self) -> float | None:
        """Where the slope begins to fall, None where that is not inside of the range."""
        return self.peak.x if self.peak is not None and self.peak.slope > 0 else None

    @property
    def x(self) -> list[float]:
        return [p.x for p in self.points]

    @property
    def values(self) -> list[float]:
        return [p.value for p in self.points]

    @property
    def marginal(self) -> list[float]:
        """The slope at every point."""
        return [p.slope for p in self.points]

    def blocks(self) -> list[Block]:
        shown = self.points[:: max(1, (len(self.points) - 1) // 10)]
        if shown[-1] is not self.points[-1]:
            shown = [*shown, self.points[-1]]
        table = Table(f"{self.output} along {self.name}", (self.name, self.output, "marginal", ""))
        finite = [p.value for p in self.points if math.isfinite(p.value)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        for p in shown:
            size = (p.value - low) / ((high - low) or 1.0) if math.isfinite(p.value) else 0.0
            cells = (plain_number(p.x), plain_number(p.value), plain_number(p.slope))
            table.rows.append((*cells, "#" * round(24 * size)))
        table.notes = [self.verdict, *self.notes]
        return [table]

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "output": self.output,
            "input": self.name,
            "x": self.x,
            "values": self.values,
            "marginal": self.marginal,
            "maximum": None if self.maximum is None else vars(self.maximum),
            "minimum": None if self.minimum is None else vars(self.minimum),
            "marginal_peak": None if self.peak is None else vars(self.peak),
            "marginal_peak_outside": None if self.peak_outside is None else vars(self.peak_outside),
            "diminishing_returns": self.diminishing_returns,
            "verdict": self.verdict,
            "notes": self.notes,
        }

    def _marks(self) -> tuple[list[Any], list[Any]]:
        above = []
        if self.maximum:
            above.append(
                (self.maximum.x, self.maximum.value, f"max at {plain_number(self.maximum.x)}")
            )
        if self.minimum:
            above.append(
                (self.minimum.x, self.minimum.value, f"min at {plain_number(self.minimum.x)}")
            )
        below = []
        if self.peak:
            below.append((self.peak.x, self.peak.slope, f"peak at {plain_number(self.peak.x)}"))
        return above, below

    def to_svg(self) -> str:
        """The curve and, below it, its slope."""
        above, below = self._marks()
        curve = svg.line_chart(
            [(self.output, self.x, self.values)], title=f"{self.output} along {self.name}",
            x_label=self.name, marks=above, height=200,
        )  # fmt: skip
        slope = svg.line_chart(
            [("marginal", self.x, self.marginal)],
            title=f"marginal: d {self.output} / d {self.name}", x_label=self.name, marks=below,
            height=160,
        )  # fmt: skip
        return _stacked(curve, slope)

    def _figure(self) -> Any:
        figure, (upper, lower) = new_figure(6, panels=2)
        upper.plot(self.x, self.values)
        lower.plot(self.x, self.marginal, color="tab:red")
        lower.axhline(0, color="black", linewidth=0.6)
        for axes, marks in zip((upper, lower), self._marks(), strict=True):
            for x, y, label in marks:
                axes.plot([x], [y], "o", color="tab:orange")
                axes.annotate(label, (x, y), textcoords="offset points", xytext=(6, 6))
        upper.margins(y=0.15)  # room for the label of a maximum
        upper.set_ylabel(self.output)
        lower.set_ylabel(f"d {self.output} / d {self.name}")
        lower.set_xlabel(self.name)
        upper.set_title(self.verdict, fontsize=9, wrap=True)
        return figure


def _stacked(*pictures: str) -> str:
    """Pictures under each other in one SVG."""
    import re

    sizes = [re.search(r'width="(\d+)" height="(\d+)"', p) for p in pictures]
    widths = [int(m.group(1)) for m in sizes if m]
    heights = [int(m.group(2)) for m in sizes if m]
    parts, y = [], 0
    for picture, height in zip(pictures, heights, strict=True):
        parts.append(picture.replace("<svg ", f'<svg y="{y}" ', 1))
        y += height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(widths)}" height="{y}" '
        f'viewBox="0 0 {max(widths)} {y}" style="max-width:100%;height:auto">{"".join(parts)}</svg>'
    )


def sweep(s: Any, name: str, start: float, stop: float, count: int) -> Sweep:
    """Evaluate, then read the curve."""
    if not (math.isfinite(start) and math.isfinite(stop)) or start >= stop:
        raise ValueError(
            f"sweep({name!r}, {start:g}, {stop:g}): the range must go from a number to a larger one"
        )
    if count < 3:
        raise ValueError(f"points={count}: a curve needs at least 3")
    ways: dict[float, Any] = {}
    problems: list[str] = []

    def at(x: float) -> Point:
        try:
            value, slope, ways[x] = s._slope(name, {**s._arguments.point, name: x})
        except (ArithmeticError, ValueError, TraceError) as problem:
            ways[x] = None
            problems.append(f"{name} = {plain_number(x)} is outside of the function: {problem}")
            return Point(x, math.nan, math.nan)
        return Point(x, value, slope)

    xs = [start + (stop - start) * k / (count - 1) for k in range(count)]
    points = [at(x) for x in xs]
    outside = len(problems)
    notes = problems[:2] + ([f"... and {outside - 2} more"] if outside > 2 else [])
    if all(math.isnan(p.value) for p in points):
        raise ValueError(
            f"{s.output} has no value anywhere on [{start:g}, {stop:g}]: {problems[0]}"
        )
    notes += _switches(points, ways, at, name, s.output)
    found = Sweep(s.output, name, points, notes=notes)
    found.maximum = _turn(points, at, 1)
    found.minimum = _turn(points, at, -1)
    _read_slope(found, at)
    return found


# ---- turning points ------------------------------------------------------------------------------


def _turn(points: list[Point], at: Callable[[float], Point], sign: int) -> Point | None:
    """The highest (sign 1) or lowest place, if it lies inside: the slope changes sign around it."""
    inside = [p for p in points if math.isfinite(p.value)]
    best = max(inside, key=lambda p: sign * p.value)
    if best.value == inside[0].value or best.value == inside[-1].value:
        return None
    k = points.index(best)
    low, high = points[max(k - 1, 0)], points[min(k + 1, len(points) - 1)]
    if not (sign * low.slope >= 0 >= sign * high.slope):
        return best  # a jump: the place itself is all there is to say
    for _ in range(60):
        middle = at((low.x + high.x) / 2)
        if not math.isfinite(middle.slope) or middle.x in (low.x, high.x):
            break
        if sign * middle.slope > 0:
            low = middle
        else:
            high = middle
    return max((low, high, best), key=lambda p: sign * p.value)


def _read_slope(found: Sweep, at: Callable[[float], Point]) -> None:
    """Where the slope is highest, and what that means."""
    points = [p for p in found.points if math.isfinite(p.slope)]
    first, last = points[0], points[-1]
    scale = max(abs(p.slope) for p in points)
    best = max(points, key=lambda p: p.slope)
    level = 1e-9 * scale
    where = f"[{plain_number(first.x)}, {plain_number(last.x)}]"
    slope = f"the marginal {found.output}"
    if best.slope - min(p.slope for p in points) <= level:
        found.verdict = f"{slope} is constant ({plain_number(first.slope)}) on {where}"
    elif best.slope <= 0:
        found.verdict = (
            f"{found.output} falls all along {where}: there are no returns that could diminish"
        )
    elif best.slope - first.slope <= level:
        found.peak_outside = _peak_beyond(first.x, -(last.x - first.x), at)
        found.verdict = (
            f"{slope} falls from the start of {where}: diminishing returns set in before it"
            f"{_beyond(found)}. {plain_number(first.x)} is only where the range begins, no optimum"
        )
    elif best.slope - last.slope <= level:
        found.peak_outside = _peak_beyond(last.x, last.x - first.x, at)
        found.verdict = (
            f"{slope} still rises at the end of {where}: returns do not diminish in it"
            f"{_beyond(found)}. {plain_number(last.x)} is only where the range ends, no optimum"
        )
    else:
        k = points.index(best)
        found.peak = _golden(points[k - 1].x, points[k + 1].x, at)
        found.verdict = (
            f"diminishing returns from {found.name} = {plain_number(found.peak.x)}: {slope} peaks "
            f"there at {plain_number(found.peak.slope)}"
        )
    found.verdict += _ends(found, points)


def _beyond(found: Sweep) -> str:
    if found.peak_outside is None:
        return ""
    return f" (it peaks at {found.name} = {plain_number(round(found.peak_outside.x, 4))}, outside)"


def _ends(found: Sweep, points: list[Point]) -> str:
    if found.maximum is not None:
        m = found.maximum
        return (
            f"; {found.output} is highest at {found.name} = {plain_number(m.x)} "
            f"({plain_number(m.value)})"
        )
    if points[-1].slope > 0 and points[-1].value >= points[0].value:
        return f"; {found.output} still rises at {plain_number(points[-1].x)}, no maximum inside"
    return f"; {found.output} has no maximum inside of the range"


def _golden(low: float, high: float, at: Callable[[float], Point]) -> Point:
    """The highest slope between two places, by golden sections."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = at(high - ratio * (high - low)), at(low + ratio * (high - low))
    while high - low > 1e-7 * max(1.0, abs(low), abs(high)):
        if a.slope >= b.slope:
            high, b = b.x, a
            a = at(high - ratio * (high - low))
        else:
            low, a = a.x, b
            b = at(low + ratio * (high - low))
    return a if a.slope >= b.slope else b


def _peak_beyond(edge: float, reach: float, at: Callable[[float], Point]) -> Point | None:
    """The nearest peak of the slope beyond an end, as far away again as the range is wide."""
    points = [at(edge + reach * k / _OUTSIDE) for k in range(_OUTSIDE + 1)]
    for a, b, c in zip(points, points[1:], points[2:], strict=False):
        if a.slope <= b.slope > c.slope:
            return _golden(min(a.x, c.x), max(a.x, c.x), at)
    return None


# ---- branches ------------------------------------------------------------------------------------


def _switches(
    points: list[Point],
    ways: dict[float, Any],
    at: Callable[[float], Point],
    name: str,
    output: str,
) -> list[str]:
    """Where the function takes another way: found by halving the step in which it happens."""
    notes: list[str] = []
    for a, b in pairwise(points):
        if ways[a.x] is None or ways[b.x] is None or ways[a.x] == ways[b.x]:
            continue
        if len(notes) == _MOST_SWITCHES:
            return [*notes, "... and more"]
        for _ in range(40):
            middle = at((a.x + b.x) / 2)
            if middle.x in (a.x, b.x) or ways[middle.x] is None:
                break
            if ways[middle.x] == ways[a.x]:
                a = middle
            else:
                b = middle
        apart = abs(b.value - a.value) > 1e-6 * max(abs(a.value), abs(b.value), 1e-300)
        kind = f"{output} jumps from {plain_number(a.value)} to {plain_number(b.value)}"
        if not apart:
            kind = f"slope {plain_number(a.slope)} before, {plain_number(b.slope)} after"
        notes.append(f"another branch is taken at {name} = {plain_number(b.x)}: {kind}")
    return notes
