"""The tables, what they cannot show, and the JSON."""

import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .case import PEERS
from .claims import OURS, exponent, goal_verdict, times_the_floor
from .driver import Row, Settings
from .quantities import quantity

Lines = list[list[str]]


def tables(rows: list[Row], engines: list[str]) -> Iterator[tuple[str, Lines]]:
    """One per group, with the columns that have something in them."""
    for group in dict.fromkeys(row.group for row in rows):
        members = [row for row in rows if row.group == group]
        yield (
            group,
            without_empty_columns([headings(engines), *(line(r, engines) for r in members)]),
        )
        if group == "scale":
            yield "scale: cost grows with this power", growth(members, engines)


def headings(engines: list[str]) -> list[str]:
    eager = [f"{OURS} : torch", "wanted"]
    compiled = ["compiled : best peer", "best peer", "wanted"]
    return ["workload", *engines, *eager, *compiled, "compiled : floor", "at most"]


def line(row: Row, engines: list[str]) -> list[str]:
    """Best figure of each engine; how many times less ours need; what was wanted."""
    figures = [quantity(row.best(name), row.unit) for name in engines]
    peer = row.winner(PEERS)
    eager, compiled = row.ratio("torch", OURS), row.ratio(peer or "", "compiled")
    ratios = {OURS: eager, "compiled": compiled}
    wanted = {g.engine: f"{g.ratio:g}x" for g in row.goals if ratios[g.engine] is not None}
    times = times_the_floor(row)
    return [
        row.name,
        *figures,
        ratio(eager),
        wanted.get(OURS, ""),
        ratio(compiled),
        peer if peer and compiled else "",
        wanted.get("compiled", ""),
        "" if times is None else f"{times:.2f}",
        limit(row),
    ]


def ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}x"


def limit(row: Row) -> str:
    if row.limit is not None:
        return quantity(row.limit[1], row.unit)
    return "" if row.floor is None or not row.best("floor") else f"{row.floor:g}"


def without_empty_columns(lines: Lines) -> Lines:
    kept = [k for k in range(len(lines[0])) if any(row[k] not in ("", "-") for row in lines[1:])]
    return [[row[k] for k in kept] for row in lines]


def growth(rows: list[Row], engines: list[str]) -> Lines:
    """The power of the size to which each engine's cost tends."""
    lines = [["size", *engines]]
    for size in dict.fromkeys(row.name.split("/")[1] for row in rows):
        cells = []
        for name in engines:
            points = [
                (float(row.name.split("/")[2]), row.best(name) or 0.0)
                for row in rows
                if row.name.split("/")[1] == size and row.best(name)
            ]
            cells.append(f"{exponent(points):.2f}" if len(points) > 1 else "-")
        lines.append([size, *cells])
    return without_empty_columns(lines)


def notes(rows: list[Row]) -> Iterator[str]:
    """What the tables cannot show: how an engine ran, why one could not (each reason once)."""
    for row in rows:
        for engine in row.wrong():
            yield f"{row.name}: {engine} does not count, its values are not those of torch"
    for row in rows:
        for engine, note in row.notes.items():
            yield f"{row.name}: {engine} ran {note}"
    missing: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for engine, reason in row.unavailable.items():
            if reason != "no counterpart":
                missing.setdefault((engine, reason), []).append(row.name)
    for (engine, reason), names in missing.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{engine} could not run {names[0]}{more}: {reason}"


# ---- on the screen -------------------------------------------------------------------------------


def show(title: str, lines: Lines) -> None:
    """With lines and colours in a terminal, otherwise as plain text."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR") and show_richly(title, lines):
        return
    print(f"\n{title}")
    first, *rest = widths(lines)
    for row in lines:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], rest, strict=True)]
        print("  ".join([row[0].ljust(first), *cells]).rstrip())


def show_richly(title: str, lines: Lines) -> bool:
    """False where rich is missing, or the screen too narrow for what it has to say."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    console = Console()
    borders = 3 * len(lines[0]) + 1
    if sum(widths(lines)) + borders > console.width:
        return False
    table = Table(title=title, title_justify="left")
    for index, heading in enumerate(lines[0]):
        table.add_column(Text(heading), justify="right" if index else "left", no_wrap=True)
    for row in lines[1:]:
        table.add_row(*(Text(cell, style=colour(cell)) for cell in row))
    console.print(table)
    return True


def colour(cell: str) -> str:
    """Ratios stand out: green where ours needs less."""
    number = cell.removesuffix("x")
    if number == cell or not number.replace(".", "", 1).isdigit():
        return ""
    return "green" if float(number) >= 1 else "red"


def widths(lines: Lines) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


# ---- as a file -----------------------------------------------------------------------------------


def as_json(
    rows: list[Row], settings: Settings, info: dict[str, Any], skipped: dict[str, str]
) -> dict[str, Any]:
    run = asdict(settings)
    del run["peer_python"]  # a path of this machine says nothing to anyone else
    return {
        "machine": {"system": platform.system(), "processor": processor(), "cores": os.cpu_count()},
        "settings": run,
        "engines": info,
        "skipped": skipped,
        "rows": [row_as_json(row) for row in rows],
    }


def row_as_json(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "unit": row.unit,
        "best": {name: row.best(name) for name in row.measured},
        "median": {name: row.median(name) for name in row.measured},
        "best peer": row.winner(PEERS),
        "times the floor": times_the_floor(row),
        "goals": [
            {
                **asdict(goal),
                "peer": row.winner(goal.peers),
                "measured": row.ratio(row.winner(goal.peers) or "", goal.engine),
                "holds": verdict.holds if (verdict := goal_verdict(row, goal)) else None,
            }
            for goal in row.goals
        ],
        "agree": row.disagreement() is None,
        "wrong": row.wrong(),
        "notes": row.notes,
        "unavailable": row.unavailable,
    }


def processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def write_json(path: str, content: dict[str, Any]) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
