"""Questions to a finished analysis: what if, and which input swings the output most."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..reading import svg
from ..reading.terminal import Block, Report, Table
from .rendering import Drawn, new_figure, plain_number

Change = float | str


def amount(change: Change, value: float, name: str) -> float:
    """A change as a number to add: -0.5, "+5%", "-2"."""
    if isinstance(change, str):
        text = change.strip()
        try:
            number = float(text.rstrip("%"))
        except ValueError:
            raise ValueError(
                f"{name}={change!r} is no change: write 0.1, '+0.1' or '+5%'"
            ) from None
        return value * number / 100 if text.endswith("%") else number
    if isinstance(change, bool) or not isinstance(change, int | float):
        raise TypeError(f"{name}={change!r} is no change: write 0.1, '+0.1' or '+5%'")
    return float(change)


def check_names(s: Any, names: Mapping[str, Any]) -> None:
    for name in names:
        if name not in s.at:
            near = difflib.get_close_matches(name, list(s.at), 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"no input {name!r}; the inputs are {', '.join(s.at)}.{hint}")


# ---- what if -------------------------------------------------------------------------------------


@dataclass(repr=False)
class WhatIf(Report, Drawn):
    """A change of inputs: what the derivatives predict and what the function says."""

    output: str
    before: float
    changes: dict[str, float]
    parts: dict[str, float]  # what each change adds, to first order
    after: float

    @property
    def predicted_change(self) -> float:
        return math.fsum(self.parts.values())

    @property
    def predicted(self) -> float:
        return self.before + self.predicted_change

    @property
    def recomputed(self) -> float:
        return self.after

    @property
    def change(self) -> float:
        """The change that really comes out."""
        return self.after - self.before

    @property
    def residual(self) -> float:
        """What straight lines miss: recomputed minus predicted."""
        return self.after - self.predicted

    def blocks(self) -> list[Block]:
        table = Table(f"what if: {self.output}", ("input", "change", "predicted effect"))
        for name, change in self.changes.items():
            signed = f"{'+' if change >= 0 else ''}{plain_number(change)}"
            table.rows.append((name, signed, plain_number(self.parts[name])))
        table.notes = [
            f"before {plain_number(self.before)}",
            f"predicted {plain_number(self.predicted)} ({plain_number(self.predicted_change)})",
            f"recomputed {plain_number(self.after)} ({plain_number(self.change)})",
            f"residual {plain_number(self.residual)}: {self._reading()}",
        ]
        return [table]

    def _reading(self) -> str:
        size = max(abs(self.change), abs(self.predicted_change))
        if abs(self.residual) <= 1e-9 * max(size, abs(self.before)):
            return "the function is straight over this change"
        share = abs(self.residual) / size if size else math.inf
        if share < 0.05:
            return f"the straight line holds to {share:.1%} of the change"
        return "the function bends over this change: believe the recomputed value"

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "output": self.output, "before": self.before, "changes": self.changes,
            "effects": self.parts, "predicted": self.predicted, "recomputed": self.after,
            "residual": self.residual,
        }  # fmt: skip

    def _rows(self) -> list[tuple[str, float]]:
        rows = [(f"{n}: predicted", part) for n, part in self.parts.items()]
        return [*rows, ("residual", self.residual), ("recomputed change", self.change)]

    def to_svg(self) -> str:
        return svg.bar_chart(self._rows(), title=f"change of {self.output}")

    def _figure(self) -> Any:
        rows = self._rows()
        figure, axes = new_figure(1.2 + 0.45 * len(rows))
        bars = axes.barh(range(len(rows)), [v for _, v in rows])
        axes.bar_label(bars, [plain_number(v) for _, v in rows], padding=3)
        axes.set_yticks(range(len(rows)), [n for n, _ in rows])
        axes.invert_yaxis()
        axes.margins(x=0.2)
        axes.set_title(f"change of {self.output}")
        return figure


def what_if(s: Any, changes: Mapping[str, Change]) -> WhatIf:
    """Predict by the derivatives, then ask the function."""
    if not changes:
        raise ValueError(f"what_if() needs a change, e.g. what_if({next(iter(s.at), 'x')}=+0.1)")
    check_names(s, changes)
    moves = {name: amount(c, s.at[name], name) for name, c in changes.items()}
    point = {**s._arguments.point, **{n: s.at[n] + m for n, m in moves.items()}}
    parts = {name: s.derivatives[name] * move for name, move in moves.items()}
    return WhatIf(s.output, s.value, moves, parts, s._evaluate(point))


# ---- tornado -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Swing:
    """One input moved down and up, all others held."""

    name: str
    low: float
    high: float
    at_low: float  # the output there
    at_high: float

    @property
    def swing(self) -> float:
        values = [v for v in (self.at_low, self.at_high) if math.isfinite(v)]
        return abs(self.at_high - self.at_low) if len(values) == 2 else math.nan


@dataclass(repr=False)
class Tornado(Report, Drawn):
    """Swings of the output, the largest first."""

    output: str
    value: float
    swings: list[Swing]
    notes: list[str]

    def __iter__(self) -> Any:
        return iter(self.swings)

    def __len__(self) -> int:
        return len(self.swings)

    def __getitem__(self, key: int | str) -> Swing:
        if isinstance(key, str):
            return next(s for s in self.swings if s.name == key)
        return self.swings[key]

    def blocks(self) -> list[Block]:
        table = Table(
            f"tornado: {self.output} = {plain_number(self.value)}",
            ("input", "from", "to", f"{self.output} from", "to", "swing", ""),
            notes=self.notes,
        )
        largest = max((s.swing for s in self.swings if s.swing == s.swing), default=0.0) or 1.0
        for s in self.swings:
            bar = "#" * round(24 * s.swing / largest) if s.swing == s.swing else ""
            numbers = (s.low, s.high, s.at_low, s.at_high, s.swing)
            table.rows.append((s.name, *map(plain_number, numbers), bar))
        return [table]

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "output": self.output,
            "value": self.value,
            "swings": [{**vars(s), "swing": s.swing} for s in self.swings],
            "notes": self.notes,
        }

    def to_svg(self) -> str:
        picture = svg.Picture(f"tornado of {self.output}")
        title = f"{self.output} = {plain_number(self.value)}, one input moved at a time"
        picture.text(0, 14, title, size=14, bold=True)
        label = min(240.0, max([svg.text_width(s.name) for s in self.swings], default=0)) + 10
        ends = [v for s in self.swings for v in (s.at_low, s.at_high) if math.isfinite(v)]
        low, high = min([self.value, *ends]), max([self.value, *ends])
        scale = 380 / ((high - low) or 1.0)
        first = label + 90
        for k, s in enumerate(self.swings):
            y = 30 + 30 * k
            picture.text(label, y + 17, svg.shorten(s.name, 240), anchor="end", tip=s.name)
            for end, where, colour in ((s.at_low, s.low, "blue"), (s.at_high, s.high, "red")):
                if math.isfinite(end):
                    a, b = sorted((first + (self.value - low) * scale, first + (end - low) * scale))
                    tip = f"{s.name} = {plain_number(where)}: {plain_number(end)}"
                    picture.box(a, y + 5, b - a, 18, fill=colour, stroke="", radius=2, tip=tip)
            sides = sorted((v, w) for v, w in ((s.at_low, s.low), (s.at_high, s.high)) if v == v)
            for (end, where), anchor, shift in zip(sides, ("end", "start"), (-5, 5), strict=False):
                x = first + (end - low) * scale + shift
                picture.text(x, y + 18, f"{s.name} {plain_number(where)}", size=10, kind="dim",
                             anchor=anchor)  # fmt: skip
        middle = first + (self.value - low) * scale
        picture.line([(middle, 28), (middle, 34 + 30 * len(self.swings))], stroke="dim")
        picture.text(middle, 50 + 30 * len(self.swings), plain_number(self.value), size=11,
                     anchor="middle", kind="dim")  # fmt: skip
        picture.text(first, 68 + 30 * len(self.swings), "blue: input low, red: input high", size=11,
                     kind="dim")  # fmt: skip
        return picture.svg()

    def _figure(self) -> Any:
        figure, axes = new_figure(1.2 + 0.45 * len(self.swings))
        for k, s in enumerate(self.swings):
            for end, colour in ((s.at_low, "tab:blue"), (s.at_high, "tab:red")):
                axes.barh(k, end - self.value, left=self.value, color=colour)
        axes.axvline(self.value, color="black", linewidth=0.8)
        axes.set_yticks(range(len(self.swings)), [s.name for s in self.swings])
        axes.invert_yaxis()
        axes.set_title(f"{self.output}: blue input low, red input high")
        return figure


def tornado(s: Any, change: float, ranges: Mapping[str, tuple[float, float]] | None) -> Tornado:
    """Recompute the output with one input at a time at its low and high end."""
    check_names(s, ranges or {})
    swings, notes = [], []
    for name, value in s.at.items():
        low, high = (ranges or {}).get(
            name, (value - abs(value) * change, value + abs(value) * change)
        )
        if low == high:
            low, high = value - change, value + change
            notes.append(f"{name} is 0: moved by {plain_number(change)} instead of {change:.0%}")
        ends = []
        for x in (low, high):
            try:
                ends.append(s._evaluate({**s._arguments.point, name: float(x)}))
            except (ArithmeticError, ValueError) as problem:
                ends.append(math.nan)
                notes.append(f"{name} = {plain_number(x)} is outside of the function: {problem}")
        swings.append(Swing(name, float(low), float(high), *ends))
    swings.sort(key=lambda w: -(w.swing if w.swing == w.swing else math.inf))
    return Tornado(s.output, s.value, swings, notes)
