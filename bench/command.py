"""The command line: `chainrule bench --help`."""

import argparse
import os
import sys
from dataclasses import replace
from fnmatch import fnmatch

from . import chart, claims, driver, fresh, tables
from .case import Workload
from .engines import ENGINES
from .progress import Progress
from .workloads import GROUPS as WORKLOAD_GROUPS
from .workloads import WORKLOADS

GROUPS = (*WORKLOAD_GROUPS, "import", "memory", "compile", "attention", "ddp")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("chainrule bench", description="chainrule against its peers")
    parser.add_argument("--engines", default=",".join(ENGINES), help="default: %(default)s")
    parser.add_argument("--groups", default=",".join(GROUPS), help="default: %(default)s")
    parser.add_argument("--only", default="*", help="workloads whose name matches, e.g. 'op/add/*'")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each engine (default: 5)")
    parser.add_argument("--quick", action="store_true", help="one short round: a smoke test")
    parser.add_argument(
        "--threads", type=int, default=cores(), help="of the larger workloads; default: all cores"
    )
    parser.add_argument("--json", metavar="FILE", help="write the measurements")
    parser.add_argument("--chart", metavar="FILE", help="draw the ratios: .png or .svg")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--list", action="store_true", help="name the workloads and stop")
    parser.add_argument(
        "--peer-python",
        default=os.environ.get("CHAINRULE_BENCH_PEER_PYTHON", sys.executable),
        help="the interpreter that has the peers; default: $CHAINRULE_BENCH_PEER_PYTHON, else this",
    )
    options = parser.parse_args(arguments)
    options.engines = chosen_names(parser, "engine", options.engines, ENGINES)
    options.groups = chosen_names(parser, "group", options.groups, GROUPS)
    return options


def chosen_names(parser: argparse.ArgumentParser, kind: str, text: str, known: object) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:  # type: ignore[operator]
            parser.error(f"there is no {kind} {name!r}; there are {', '.join(known)}")  # type: ignore[arg-type]
    return names


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def settings_of(options: argparse.Namespace) -> driver.Settings:
    common = {"threads": options.threads, "peer_python": options.peer_python}
    if options.quick:
        return driver.Settings(rounds=1, samples=1, seconds_per_sample=0.0005, **common)
    return driver.Settings(rounds=options.rounds, **common)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)

    def chosen(item: Workload | fresh.Measurement) -> bool:
        return item.group in options.groups and fnmatch(item.name, options.only)

    workloads = list(filter(chosen, WORKLOADS.values()))
    measurements = list(filter(chosen, fresh.measurements()))
    if options.list:
        print("\n".join(item.name for item in (*workloads, *measurements)))
        return 0
    settings = settings_of(options)
    with Progress() as progress:
        rows, info, skipped = measure(workloads, options.engines, settings, progress)
        able = [name for name in options.engines if name not in skipped]
        for measurement in measurements:
            rows += fresh.measure(measurement, able, settings, progress)
    for name, reason in skipped.items():
        print(f"skipped: {name} ({reason})", file=sys.stderr)
    show(options, settings, info, rows)
    return conclude(options, settings, info, skipped, rows)


def measure(
    workloads: list[Workload], names: list[str], settings: driver.Settings, progress: Progress
) -> tuple[list[driver.Row], dict[str, dict], dict[str, str]]:
    """Small workloads on one thread (a second one could only wait), the others on all."""
    rows: list[driver.Row] = []
    info: dict[str, dict] = {}
    skipped: dict[str, str] = {}
    for threaded in (False, True):
        batch = [workload for workload in workloads if workload.threaded is threaded]
        needed = [
            name
            for name in names
            if name not in skipped and any(ENGINES[name].covers(workload) for workload in batch)
        ]
        threads = settings.threads if threaded else 1
        progress(0, 1, "starting the engines")
        engines, failed = driver.start(needed, replace(settings, threads=threads))
        skipped |= failed
        try:
            rows += driver.run(batch, engines, settings, progress)
        finally:
            for engine in engines.values():
                engine.stop()
        info |= {name: engine.info for name, engine in engines.items()}
    return rows, info, skipped


def show(
    options: argparse.Namespace,
    settings: driver.Settings,
    info: dict[str, dict],
    rows: list[driver.Row],
) -> None:
    described = ", ".join(f"{name} {about['version']}" for name, about in info.items())
    threads = ", ".join(sorted({str(about["threads"]) for about in info.values()}))
    if described:
        print(f"{described}; best of {settings.rounds} turns;", end=" ")
        print(f"op and mode on 1 thread, the others on {threads}")
    for title, lines in tables.tables(rows, options.engines):
        tables.show(title, lines)
    print()
    for note in tables.notes(rows):
        print(note)
    if picture := chart.as_text(rows):
        print(f"\n{picture}")


def conclude(
    options: argparse.Namespace,
    settings: driver.Settings,
    info: dict[str, dict],
    skipped: dict[str, str],
    rows: list[driver.Row],
) -> int:
    found = list(claims.verdicts(rows))
    missed = [verdict.claim for verdict in found if not verdict.holds]
    print(f"\n{len(found) - len(missed)} of {len(found)} claims hold")
    for claim in missed:
        print(f"  missed  {claim}")
    if options.json:
        tables.write_json(options.json, tables.as_json(rows, settings, info, skipped))
    if options.chart:
        print(chart.write(options.chart, rows))
    disagree = any(row.disagreement() for row in rows)
    return int(disagree or (options.check and bool(missed)))
