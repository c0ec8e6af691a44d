"""The table, the verdicts and the JSON."""

import json
import platform
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.driver import Row, Settings

OURS = "chainrule"
# Two timings of the same program differ by about this much on a quiet machine.
NOISE = 1.03
# 0.07 s where NumPy takes 0.13 s to import, and in proportion on a slower machine.
IMPORT_SECONDS_OVER_NUMPY, NUMPY_SECONDS = 0.07, 0.13


@dataclass(frozen=True)
class Verdict:
    claim: str
    holds: bool


def quantity(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "bytes":
        return f"{value / 2**20:.1f} MB"
    for name, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value / 1e-9:.3g} ns"


def verdicts(rows: list[Row], peers: Iterable[str]) -> Iterator[Verdict]:
    """Every claim that these measurements can support or refute."""
    for row in rows:
        if problem := row.disagreement():
            yield Verdict(f"{row.name}: {problem}", False)
        for peer in peers:
            ratio = row.ratio(peer)
            if row.goal is not None and ratio is not None:
                claim = f"{row.name}: {ratio:.2f}x {peer}, at least {row.goal:g}x wanted"
                yield Verdict(claim, ratio >= row.goal)
        if row.name == "import" and {OURS, "control"} <= row.measured.keys():
            yield import_verdict(row.measured[OURS], row.measured["control"])
    yield from mean_verdicts(rows, peers)
    yield from mode_verdicts({row.name: row for row in rows if row.group == "mode"})


# Groups whose rows must be faster than a peer on geometric average, too.
MEAN_GOALS = {"train": 1.2}


def mean_verdicts(rows: list[Row], peers: Iterable[str]) -> Iterator[Verdict]:
    for group, goal in MEAN_GOALS.items():
        for peer in peers:
            ratios = [r.ratio(peer) for r in rows if r.group == group and (r.goal or 0) >= 1]
            known = [ratio for ratio in ratios if ratio is not None]
            if known:
                mean = statistics.geometric_mean(known)
                claim = f"{group}: geometric mean {mean:.2f}x {peer}, at least {goal:g}x wanted"
                yield Verdict(claim, mean >= goal)


def import_verdict(ours: list[float], numpy: list[float]) -> Verdict:
    """Judged round by round: the best of each could come from different minutes of the machine."""
    margins = []
    for mine, floor in zip(ours, numpy, strict=False):
        allowed = IMPORT_SECONDS_OVER_NUMPY * max(1.0, floor / NUMPY_SECONDS)
        margins.append((allowed - (mine - floor), mine - floor, allowed))
    margin, extra, allowed = max(margins)
    claim = f"import: {extra:.3f} s over numpy, at most {allowed:.3f} s wanted"
    return Verdict(claim, margin >= 0)


def mode_verdicts(rows: dict[str, Row]) -> Iterator[Verdict]:
    """inference_mode never slower than no_grad, and both cheaper than recording."""
    for name in rows:
        prefix, mode = name.rsplit("/", 1)
        cheaper = {"no_grad": "recording", "inference_mode": "no_grad"}.get(mode)
        other = rows.get(f"{prefix}/{cheaper}")
        # Entering a mode for every single op may cost more than recording that op would.
        if other is None or (cheaper == "recording" and "/entered/" in name):
            continue
        ours, theirs = rows[name].best(OURS), other.best(OURS)
        if ours and theirs:
            claim = f"{prefix}: {mode} {quantity(ours, 's')}, {cheaper} {quantity(theirs, 's')}"
            yield Verdict(claim, ours <= theirs * NOISE)


def table(rows: list[Row], engines: list[str]) -> list[list[str]]:
    """Headings, then one line per workload: best time of each engine, and the ratios to ours."""
    peers = [name for name in engines if name != OURS] if OURS in engines else []
    lines = [["workload", *engines, *(f"{peer}/{OURS}" for peer in peers), "goal"]]
    for row in rows:
        ratios = [row.ratio(peer) for peer in peers]
        lines.append(
            [
                row.name,
                *(quantity(row.best(name), row.unit) for name in engines),
                *("-" if ratio is None else f"{ratio:.2f}x" for ratio in ratios),
                "" if row.goal is None else f"{row.goal:g}x",
            ]
        )
    return lines


def notes(rows: list[Row]) -> Iterator[str]:
    """What the table cannot show: how an engine ran, why one could not (each reason once)."""
    for row in rows:
        for engine, note in row.notes.items():
            yield f"{row.name}: {engine} ran with {note}"
    missing: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for engine, reason in row.unavailable.items():
            if reason != "no counterpart":
                missing.setdefault((engine, reason), []).append(row.name)
    for (engine, reason), names in missing.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{engine} could not run {names[0]}{more}: {reason}"


def show(lines: list[list[str]]) -> None:
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        show_plainly(lines)
        return
    rich_table = Table()
    for index, heading in enumerate(lines[0]):
        rich_table.add_column(heading, justify="right" if index else "left", no_wrap=True)
    for line in lines[1:]:
        rich_table.add_row(*(cell.replace("[", r"\[") for cell in line))
    console = Console()
    borders = 3 * len(lines[0]) + 1
    if sum(widths(lines)) + borders > console.width:  # it would cut off what it has to say
        show_plainly(lines)
    else:
        console.print(rich_table)


def show_plainly(lines: list[list[str]]) -> None:
    first, *rest = widths(lines)
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line[1:], rest, strict=True)]
        print("  ".join([line[0].ljust(first), *cells]).rstrip())


def widths(lines: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


def as_json(
    rows: list[Row], settings: Settings, info: dict[str, Any], skipped: dict[str, str]
) -> dict[str, Any]:
    run = asdict(settings)
    del run["peer_python"]  # a path of this machine says nothing to anyone else
    return {
        "machine": {"system": platform.system(), "processor": processor()},
        "settings": run,
        "engines": info,
        "skipped": skipped,
        "rows": [
            {
                "name": row.name,
                "unit": row.unit,
                "goal": row.goal,
                "best": {name: row.best(name) for name in row.measured},
                "median": {name: row.median(name) for name in row.measured},
                "ratio": {name: row.ratio(name) for name in row.measured if name != OURS},
                "agree": row.disagreement() is None,
                "notes": row.notes,
                "unavailable": row.unavailable,
            }
            for row in rows
        ],
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
