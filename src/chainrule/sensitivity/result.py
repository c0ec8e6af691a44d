"""What `sensitivity(f, at=...)` returns: derivatives, chains, and questions one can ask it."""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..autograd.source import warn_user
from ..reading.terminal import Block, Report, Table
from . import verifying
from .errors import SensitivityWarning
from .links import Link, Path, Step, VariableGraph
from .places import Arguments
from .questions import Change, Tornado, WhatIf, tornado, what_if
from .rendering import Drawn, plain_number
from .running import Run, check_traced, check_values, plain_outputs, traced_run
from .sweeping import Sweep, sweep

_MOST_NOTES = 8


class Driver:
    """One input: how the output answers to it."""

    def __init__(self, of: Sensitivity, name: str) -> None:
        self._of, self.name = of, name
        self.value: float = of.at[name]
        self.derivative: float = of.derivatives[name]

    @property
    def output(self) -> str:
        """The name of the output."""
        return self._of.output

    @property
    def elasticity(self) -> float:
        """The change of the output in percent for one percent of the input; nan where it is 0."""
        value = self._of.value
        return self.derivative * self.value / value if value else math.nan

    @functools.cached_property
    def paths(self) -> list[Path]:
        """The strongest paths (ten at most) through the function's own variables."""
        return self._of._paths(self.name)

    @functools.cached_property
    def path_count(self) -> int:
        """How many paths there are."""
        return self._of._path_count(self.name)

    @property
    def remaining(self) -> float:
        """The part of the derivative that the listed paths leave out."""
        return self.derivative - math.fsum(p.contribution for p in self.paths)

    @property
    def chain(self) -> Path:
        """The strongest path, link by link."""
        return self.paths[0] if self.paths else Path(())

    @property
    def biggest_link(self) -> Link | None:
        """The link of the chain with the largest multiplier; None where nothing leads through."""
        return self.chain.biggest_link if self.chain else None

    @property
    def check(self) -> verifying.Check:
        """The differences that the derivative was compared with."""
        return self._of.checks[self.name]

    def __repr__(self) -> str:
        return (
            f"Driver({self.name}={plain_number(self.value)}: "
            f"d {self.output} / d {self.name} = {plain_number(self.derivative)})"
        )


class Sensitivity(Report, Drawn, Mapping[str, Driver]):
    """How a function answers to its inputs at a point; made by `chainrule.sensitivity`."""

    def __init__(self, arguments: Arguments, run: Run, output: str) -> None:
        self._arguments, self._run, self._output = arguments, run, output
        self.at: dict[str, float] = {
            n: v for n, v in arguments.point.items() if n not in run.counts
        }
        self.value: float = run.outputs[output]
        self._place = run.places[output]
        self.output: str = self._output_name()
        slopes = [0.0] if self._place is None else run.tape.adjoints(self._place)
        self.derivatives: dict[str, float] = {
            n: slopes[run.inputs[n]] if self._place is not None else 0.0 for n in self.at
        }
        self.checks = verifying.verify(arguments, run, output, self.derivatives, slopes)
        self.notes: list[str] = self._notes()

    def _output_name(self) -> str:
        if self._output and not self._output.startswith("["):
            return self._output
        known = None if self._place is None else self._run.names.get(self._place)
        if known is not None and known.depth == 0 and self._place not in self._run.inputs.values():
            return known.text
        return _readable(self._arguments.title) + self._output

    # ---- asking ----

    def __getitem__(self, name: Any) -> Driver:
        if isinstance(name, tuple) and len(name) == 2:
            return self.of(name[0])[name[1]]
        if name in self.at:
            return self._drivers[name]
        if name in self._run.counts:
            raise KeyError(
                f"{name} is used as a whole number at {self._run.counts[name]}: it has no "
                f"derivative. One more changes {self.output} by "
                f"{plain_number(self.counts[name])} (see .counts)."
            )
        near = difflib.get_close_matches(str(name), list(self.at), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise KeyError(f"no input {name!r}; the inputs are {', '.join(self.at)}.{hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.at)

    def __len__(self) -> int:
        return len(self.at)

    @functools.cached_property
    def _drivers(self) -> dict[str, Driver]:
        return {name: Driver(self, name) for name in self.at}

    @property
    def outputs(self) -> dict[str, float]:
        """Every output of the function with its value."""
        return {self.of(name).output: value for name, value in self._run.outputs.items()}

    def of(self, output: str | int) -> Sensitivity:
        """The same run, asked about another of the outputs."""
        names = list(self._run.outputs)
        if isinstance(output, int) and not isinstance(output, bool) and output < len(names):
            output = names[output]
        for name in names:
            if name == output:
                return self if name == self._output else self._view(name)
        for name in names:  # by the name of the variable that was returned
            if self._view(name).output == output:
                return self._view(name)
        known = ", ".join(self._view(n).output for n in names)
        raise KeyError(f"no output {output!r}; the outputs are {known}")

    def _view(self, name: str) -> Sensitivity:
        known = self.__dict__.setdefault("_views", {self._output: self})
        if name not in known:
            known[name] = Sensitivity(self._arguments, self._run, name)
            known[name].__dict__["_views"] = known
        return known[name]

    @functools.cached_property
    def counts(self) -> dict[str, float]:
        """Inputs used as whole numbers: how the output changes for one more."""
        found = {}
        for name in self._run.counts:
            more = {**self._arguments.point, name: self._arguments.point[name] + 1}
            found[name] = self._evaluate(more) - self.value
        return found

    @functools.cached_property
    def branches(self) -> list[str]:
        """The comparisons that the run followed: line, what was compared, and the outcome."""
        seen: dict[Any, list[Any]] = {}
        for decision in self._run.tape.decisions:
            seen.setdefault((decision.place, decision.outcome), []).append(decision)
        lines = []
        for (_, outcome), found in seen.items():
            times = f", {len(found)} times" if len(found) > 1 else ""
            last = found[-1]
            lines.append(f"{last.text} was {outcome}{times} at {last.where}")
        return lines

    def steps(self, name: str) -> list[tuple[Step, float, float]]:
        """Each named step with d step / d input and d output / d step."""
        graph = self._graph
        if graph is None or self._place is None:
            return []
        ahead = self._run.tape.tangents(self._run.inputs[name])
        back = self._run.tape.adjoints(self._place)
        order = [k for k in graph.order() if ahead[k] != 0 or back[k] != 0]
        return [(graph.steps[k], ahead[k], back[k]) for k in order]

    def tornado(
        self, change: float = 0.1, ranges: Mapping[str, tuple[float, float]] | None = None
    ) -> Tornado:
        """Each input moved down and up alone, the output recomputed; largest swing first."""
        return tornado(self, change, ranges)

    def sweep(self, name: str, start: float, stop: float, points: int = 101) -> Sweep:
        """The output and its slope along one input."""
        self[name]  # a clear error for an unknown name
        return sweep(self, name, float(start), float(stop), points)

    def what_if(self, changes: Mapping[str, Change] | None = None, /, **named: Change) -> WhatIf:
        """What the derivatives predict for given changes, and what really comes out.

        A change is a number that is added, or text: "+5%".
        """
        return what_if(self, {**(changes or {}), **named})

    def interactions(self) -> dict[tuple[str, str], float]:
        """Second derivatives: how the slope by one input changes with another."""
        from .second_order import hessian

        names = list(self.at)
        matrix = np.zeros((len(names), len(names)))
        if self._place is not None:
            matrix = hessian(self._run.tape, self._place, [self._run.inputs[n] for n in names])
        return {
            (a, b): float(matrix[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)
        }

    # ---- computing ----

    def _evaluate(self, point: Mapping[str, float]) -> float:
        """The output of a plain call at another point."""
        whole = {n: int(point[n]) for n in self._run.counts}
        return plain_outputs(self._arguments, {**point, **whole})[self._output]

    def _slope(self, name: str, point: Mapping[str, float]) -> tuple[float, float, Any]:
        """(value, derivative by one input, comparisons) of a traced run at another point."""
        run = traced_run(self._arguments, point, self._run.counts)
        place = run.places[self._output]
        slope = 0.0 if place is None else run.tape.adjoints(place)[run.inputs[name]]
        way = tuple((d.place, d.outcome) for d in run.tape.decisions)
        return run.outputs[self._output], slope, way

    @functools.cached_property
    def _graph(self) -> VariableGraph | None:
        if self._place is None:
            return None
        return VariableGraph(self._run, self._place, self.output)

    def _paths(self, name: str) -> list[Path]:
        start = self._run.inputs[name]
        if start == self._place:
            here, there = Step(name, self.value), Step(self.output, self.value)
            return [Path((Link(here, there, 1.0, 1.0),))]
        return [] if self._graph is None else self._graph.paths(start)

    def _path_count(self, name: str) -> int:
        return 0 if self._graph is None else self._graph.count_paths(self._run.inputs[name])

    # ---- telling ----

    def _notes(self) -> list[str]:
        notes = verifying.notes(self.checks, self.output)
        for event in self._run.tape.events:
            if event.kind == "flat":
                notes.append(
                    f"{event.what} is flat between its jumps: no small change passes through it "
                    f"at {event.where}"
                )
        for note in notes:
            warn_user(f"sensitivity of {self.output}: {note}", SensitivityWarning)
        for name, where in self._run.counts.items():
            notes.append(f"{name} is held: used as a whole number at {where}")
        unused = [n for n, d in self.derivatives.items() if d == 0]
        if unused and len(unused) < len(self.at):
            notes.append(f"{self.output} does not answer to {', '.join(unused)} here")
        return notes

    def blocks(self) -> list[Block]:
        first = Table(
            f"{self.output} = {plain_number(self.value)}",
            ("input", "value", f"d {self.output}", "elasticity"),
        )
        order = self._in_order()
        for driver in order:
            cells = (driver.value, driver.derivative, driver.elasticity)
            first.rows.append((driver.name, *map(plain_number, cells)))
        blocks: list[Block] = [first]
        for driver in order[:3]:
            if driver.chain:
                blocks.append(_chain_table(driver))
        notes = [*self.notes, *(f"branch: {b}" for b in self.branches[:_MOST_NOTES])]
        if notes:
            blocks.append(Table("notes", (), notes=notes))
        return blocks

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "function": self._arguments.title,
            "output": self.output,
            "value": self.value,
            "inputs": {
                d.name: {
                    "value": d.value,
                    "derivative": d.derivative,
                    "elasticity": d.elasticity,
                    "paths": [_path_data(p) for p in d.paths],
                    "path_count": d.path_count,
                }
                for d in self.values()
            },
            "counts": self.counts,
            "branches": self.branches,
            "notes": self.notes,
        }

    def to_svg(self) -> str:
        """The chain of the strongest input, drawn."""
        from .rendering import chain_svg

        driver = self._strongest()
        chain = driver.chain if driver else Path(())
        return chain_svg(chain, self.output, _share(driver) if driver else "")

    def _figure(self) -> Any:
        from .rendering import chain_figure

        driver = self._strongest()
        title = f"{self.output} = {plain_number(self.value)}"
        return chain_figure(driver.chain if driver else Path(()), title)

    def _in_order(self) -> list[Driver]:
        """The inputs, those that weigh most first."""
        return sorted(self.values(), key=lambda d: -abs(d.derivative * (d.value or 1.0)))

    def _strongest(self) -> Driver | None:
        return next(iter(self._in_order()), None)


def _chain_table(driver: Driver) -> Table:
    table = Table(
        f"d {driver.output} / d {driver.name} = {plain_number(driver.derivative)}",
        ("link", "multiplier", "product", "set by"),
    )
    biggest = driver.biggest_link
    shown = _shortened(driver.chain.links)
    for link in shown:
        if link is None:
            table.rows.append(("...", "", "", f"{len(driver.chain) - len(shown) + 1} more"))
            continue
        mark = "  <- biggest" if link is biggest and len(driver.chain) > 1 else ""
        where = f"{link.target.where}: {link.target.code}" if link.target.line else ""
        cells = (plain_number(link.multiplier), plain_number(link.running))
        table.rows.append((link.name, *cells, where + mark))
    if driver.path_count > 1:
        table.notes.append(_share(driver))
        for path in driver.paths[1:4]:
            table.notes.append(f"{plain_number(path.contribution)} by {path}")
        if driver.path_count > 4:
            table.notes.append(f"... and {driver.path_count - 4:,} more")
    return table


def _share(driver: Driver) -> str:
    """What the strongest path makes of the whole, where there are others."""
    if driver.path_count < 2:
        return ""
    share = f"{plain_number(driver.chain.contribution)} of {plain_number(driver.derivative)}"
    return f"the strongest of {driver.path_count:,} paths: {share}"


def _shortened(links: tuple[Link, ...], most: int = 14) -> list[Link | None]:
    if len(links) <= most:
        return list(links)
    return [*links[: most // 2], None, *links[len(links) - most // 2 :]]


def _path_data(path: Path) -> dict[str, Any]:
    return {
        "contribution": path.contribution,
        "links": [
            {
                "from": link.source.name,
                "to": link.target.name,
                "multiplier": link.multiplier,
                "product": link.running,
                "value": link.target.value,
                "file": link.target.file,
                "line": link.target.line,
                "code": link.target.code,
            }
            for link in path
        ],
    }


def _readable(title: str) -> str:
    return "result" if title == "<lambda>" else title


def analyse(
    f: Callable[..., Any], at: Mapping[str, Any], wrt: Any = None, output: Any = None
) -> Sensitivity:
    """Run, check and wrap up: what calling the package does."""
    arguments = Arguments(f, at, wrt)
    plain = _plain_run(arguments)
    run = traced_run(arguments, arguments.point)
    whole = {**arguments.point, **{n: int(arguments.point[n]) for n in run.counts}}
    again = plain_outputs(arguments, whole)
    check_values(arguments, plain or again, plain_outputs(arguments, whole))
    check_traced(arguments, again, run)
    first = Sensitivity(arguments, run, next(iter(run.outputs)))
    return first if output is None else first.of(output)


def _plain_run(arguments: Arguments) -> dict[str, float] | None:
    """Before any tracing: an error of the function itself is the user's to see as it is.

    Integers become floats; where that alone makes the function fail (`range(years)`), the traced
    run finds out which of them are counts.
    """
    try:
        return plain_outputs(arguments, arguments.point)
    except TypeError:
        if not arguments.whole:
            raise
        given = {n: int(v) if n in arguments.whole else v for n, v in arguments.point.items()}
        plain_outputs(arguments, given)  # raises where the function itself is at fault
        return None
