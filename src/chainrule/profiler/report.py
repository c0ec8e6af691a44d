"""Time by op, line, module and phase, and the flame chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.accidents import explain_module
from ..autograd.profiler_util import FunctionEvent, format_time
from ..reading import html
from ..reading.markup import escape
from ..reading.source import place_of
from ..reading.svg import flame
from ..reading.terminal import Block, Report, Table

ROWS = 15
_ENGINE = "autograd::engine::evaluate_function: "  # around each step of backward, under its name
MOST_BARS = 4000  # of a flame chart; shorter events are left out beyond it


def _line(e: FunctionEvent) -> str:
    return place_of(*e.code).short if e.code[0] is not None else "(no line)"


_KEYS: dict[str, Callable[[FunctionEvent], str]] = {
    "op": lambda e: e.name.removeprefix(_ENGINE),
    "line": _line,
    "module": lambda e: e.module or "(no module)",
    "phase": lambda e: e.phase,
}


class TimeReport(Report):
    """Where the time of a trace went; each piece of work is counted once."""

    def __init__(self, events: Sequence[FunctionEvent]) -> None:
        self.events = list(events)
        # Work is what ops and steps of backward did; named blocks hold it, and optimizers and
        # plans are work of their own. What runs inside of work is part of it.
        inside: set[int] = set()
        self.work: list[FunctionEvent] = []
        for e in self.events:  # parents come first
            if e.cpu_parent is not None and e.cpu_parent.id in inside:
                inside.add(e.id)
            elif e.kernel or _is_work(e):
                inside.add(e.id)
                self.work.append(e)

    @property
    def total(self) -> float:
        """Microseconds of all work."""
        return sum(e.cpu_time_total for e in self.work)

    def by(self, what: str) -> dict[str, float]:
        """Microseconds by "op", "line", "module" or "phase", the longest first."""
        if what not in _KEYS:
            raise ValueError(f"by({what!r}): expected one of {', '.join(map(repr, _KEYS))}")
        found: dict[str, float] = {}
        for e in self.work:
            key = _KEYS[what](e)
            found[key] = found.get(key, 0.0) + e.cpu_time_total
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def split(self, what: str) -> dict[str, tuple[float, float]]:
        """(forward, backward) microseconds by "op", "line" or "module"."""
        found: dict[str, list[float]] = {}
        for e in self.work:
            times = found.setdefault(_KEYS[what](e), [0.0, 0.0])
            times[e.phase == "backward"] += e.cpu_time_total
        return {k: (a, b) for k, (a, b) in sorted(found.items(), key=lambda p: -sum(p[1]))}

    def tables(self) -> list[Table]:
        """The tables of the report."""
        made = [self._phases()]
        for what in ("op", "line", "module"):
            rows = [
                (name, _time(a), _time(b), f"{(a + b) / (self.total or 1):.0%}")
                for name, (a, b) in list(self.split(what).items())[:ROWS]
            ]
            made.append(Table(f"by {what}", (what, "forward", "backward", "share"), rows))
        return made

    def _phases(self) -> Table:
        rows = [
            (phase, format_time(us), f"{us / (self.total or 1):.0%}")
            for phase, us in self.by("phase").items()
        ]
        notes = []
        plans = {e.name for e in self.events if e.name.startswith("CompiledFunction: ")}
        if plans:
            notes.append(
                f"{', '.join(sorted(plans))}: a plan of machine code runs as one piece; to see its "
                "ops, profile the function without compile"
            )
        return Table(f"time: {format_time(self.total)}", ("phase", "time", "share"), rows, notes)

    def blocks(self) -> list[Block]:
        return list(self.tables())

    def to_svg(self) -> str:
        """The flame chart: events over time, what they contain below them."""
        depths: dict[int, int] = {}
        for e in self.events:  # parents come first
            above = -1 if e.cpu_parent is None else depths[e.cpu_parent.id]
            depths[e.id] = above + (not e.name.startswith(_ENGINE))
        named = [e for e in self.events if not e.name.startswith(_ENGINE)]
        shown = sorted(named, key=lambda e: -e.cpu_time_total)[:MOST_BARS]
        rows = [
            (depths[e.id], e.time_range.start, e.cpu_time_total, e.name, self._tip(e))
            for e in sorted(shown, key=lambda e: e.id)
        ]
        return flame(rows, title=f"time: {format_time(self.total)}")

    @staticmethod
    def _tip(e: FunctionEvent) -> str:
        parts = [e.name, format_time(e.cpu_time_total)]
        if e.module:
            parts.append(f"module {e.module}")
        if e.code[0] is not None:
            parts.append(place_of(*e.code).label)
        if e.input_shapes:
            parts.append(str(e.input_shapes))
        return ", ".join(parts)

    def _body(self) -> str:
        parts = [f'<div style="overflow-x:auto">{self.to_svg()}</div>']
        for t in self.tables():
            parts.append(f"<h3>{escape(t.title)}</h3>" + html.table(t.head, t.rows, code=(0,)))
            parts += [f'<p class="dim">{escape(n)}</p>' for n in t.notes]
        return "".join(parts)

    def to_html(self) -> str:
        """One page with the flame chart and the tables."""
        return html.page("time", self._body())

    def _repr_html_(self) -> str:
        return html.fragment(self._body())

    def facts(self) -> dict[str, Any]:
        """The figures as plain data: microseconds."""
        return {"total": self.total, **{what: self.by(what) for what in _KEYS}}


def _time(us: float) -> str:
    return format_time(us) if us else "-"


def _is_work(e: FunctionEvent) -> bool:
    return e.phase == "optimizer" or e.name.startswith("CompiledFunction: ")


explain_module(globals(), "TimeReport")
