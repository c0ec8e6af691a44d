"""`Compare`: measurements side by side."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from typing import Any

from ...autograd.accidents import explain_module
from .measurement import Measurement, select_unit, unit_to_english


class Colorize(enum.Enum):
    """Among which times the best is marked."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """A table of measurements: a row per sub-label, a column per description.

    >>> import chainrule as torch
    >>> from chainrule.utils.benchmark import Compare, Timer
    >>> x = torch.ones(100)
    >>> results = [
    ...     Timer(f"x.{f}()", globals={"x": x}, label="math", sub_label="100", description=f)
    ...     .timeit(10) for f in ("exp", "sin")
    ... ]
    >>> print(Compare(results))  # doctest: +ELLIPSIS
    [--------... math ----...]
    ...
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trim = False
        self._colorize = False
        self._warn = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements."""
        for r in results:
            if not isinstance(r, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(r)} instead.")
            self._results.append(r)

    def trim_significant_figures(self) -> None:
        """Show only the digits that the spread of the times supports."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Mark the best time of each row in green, and bad ones in yellow and red."""
        self._colorize = True

    def highlight_warnings(self) -> None:
        """Mark times that vary too much to be believed."""
        self._warn = True

    def print(self) -> None:
        """Print the table."""
        print(str(self))

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        labels: dict[str, list[Measurement]] = {}
        for m in merged:
            labels.setdefault(m.task_spec.label or m.task_spec.stmt, []).append(m)
        return "\n".join(self._table(label, group) for label, group in labels.items())

    def _table(self, label: str, group: list[Measurement]) -> str:
        unit, length = select_unit(min(m.median for m in group))
        columns = list(dict.fromkeys(m.task_spec.description or "" for m in group))
        rows: dict[tuple[int, str], dict[str, Measurement]] = {}
        for m in group:
            key = (m.task_spec.num_threads, m.as_row_name)
            rows.setdefault(key, {})[m.task_spec.description or ""] = m
        threads = sorted({k[0] for k in rows})
        lines: list[tuple[str, list[str]]] = []
        for count in threads:
            lines.append((f"{count} threads:", []))
            for (n, name), cells in rows.items():
                if n == count:
                    lines.append((f"      {name}", self._cells(cells, columns, length)))
        return _drawn(label, columns, lines, unit)

    def _cells(self, cells: dict[str, Any], columns: list[str], length: float) -> list[str]:
        best = min(m.median for m in cells.values())
        made = []
        for c in columns:
            m = cells.get(c)
            if m is None:
                made.append("")
                continue
            text = _number(m.median / length, m.significant_figures if self._trim else None)
            if self._warn and m.has_warnings:
                text = "! " + text
            if self._colorize and len(cells) > 1:
                text = _coloured(text, m.median / best)
            made.append(text)
        return made


def _number(value: float, figures: int | None) -> str:
    if figures is None:
        return f"{value:.1f}"
    if value == 0:
        return "0"
    digits = figures - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):.{max(digits, 0)}f}"


def _coloured(text: str, ratio: float) -> str:
    code = "92" if ratio <= 1.05 else "93" if ratio <= 1.5 else "91"
    return f"\033[{code}m{text}\033[0m"


def _width(text: str) -> int:
    return len(text) - (len("\033[92m") + len("\033[0m") if text.startswith("\033[") else 0)


def _drawn(label: str, columns: list[str], lines: list[tuple[str, list[str]]], unit: str) -> str:
    names = max(len(name) for name, _ in lines)
    widths = [
        max([len(c), *(_width(cells[k]) for _, cells in lines if cells)])
        for k, c in enumerate(columns)
    ]
    total = names + sum(w + 5 for w in widths)
    head = f" {label} ".center(max(total - 2, len(label) + 2), "-")
    made = [f"[{head}]"]
    made.append(
        " " * names + "".join(f"  |  {c:>{w}}" for c, w in zip(columns, widths, strict=True))
    )
    for name, cells in lines:
        if not cells:
            made.append(f"{name} {'-' * max(total - len(name) - 1, 0)}")
            continue
        filled = "".join(
            f"  |  {' ' * (w - _width(cell))}{cell}" for cell, w in zip(cells, widths, strict=True)
        )
        made.append(name.ljust(names) + filled)
    made += ["", f"Times are in {unit_to_english(unit)}s ({unit}).", ""]
    return "\n".join(made)


explain_module(globals())
