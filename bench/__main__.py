"""The command line: `python -m bench --help`."""

import argparse
import os
import sys
from dataclasses import replace
from fnmatch import fnmatch

from bench import driver, fresh, report
from bench.case import Workload
from bench.engines import ENGINES
from bench.workloads import WORKLOADS

GROUPS = ("op", "mlp", "train", "mode", "import", "memory")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench", description="chainrule against its peers")
    parser.add_argument("--engines", default=",".join(ENGINES), help="default: %(default)s")
    parser.add_argument("--groups", default=",".join(GROUPS), help="default: %(default)s")
    parser.add_argument("--only", default="*", help="workloads whose name matches, e.g. 'op/add/*'")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each engine")
    parser.add_argument("--quick", action="store_true", help="two short rounds: a smoke test")
    parser.add_argument(
        "--threads", type=int, default=cores(), help="of the larger workloads; default: all cores"
    )
    parser.add_argument("--json", metavar="FILE", help="write the measurements")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--list", action="store_true", help="name the workloads and stop")
    parser.add_argument(
        "--peer-python",
        default=os.environ.get("CHAINRULE_BENCH_PEER_PYTHON", sys.executable),
        help="the interpreter that has the peers; default: $CHAINRULE_BENCH_PEER_PYTHON, else this",
    )
    return parser.parse_args(arguments)


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def settings_of(options: argparse.Namespace) -> driver.Settings:
    common = {"threads": options.threads, "peer_python": options.peer_python}
    if options.quick:
        return driver.Settings(rounds=2, samples=1, seconds_per_sample=0.0005, **common)
    return driver.Settings(rounds=options.rounds, **common)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    groups = options.groups.split(",")

    def chosen(item: Workload | driver.Row) -> bool:
        return item.group in groups and fnmatch(item.name, options.only)

    workloads = list(filter(chosen, WORKLOADS.values()))
    fresh_rows = list(filter(chosen, fresh.rows()))
    if options.list:
        print("\n".join(item.name for item in (*workloads, *fresh_rows)))
        return 0
    settings = settings_of(options)
    rows, info, skipped = measure(workloads, options.engines.split(","), settings)
    for name, reason in skipped.items():
        print(f"skipped: {name} ({reason})", file=sys.stderr)
    rows += [fresh.measure(row, list(info), settings) for row in fresh_rows]
    return conclude(options, settings, info, skipped, rows)


def measure(
    workloads: list[Workload], names: list[str], settings: driver.Settings
) -> tuple[list[driver.Row], dict[str, dict], dict[str, str]]:
    """Small workloads on one thread (a second one could only wait), the others on all."""
    rows: list[driver.Row] = []
    for threaded in (False, True):
        batch = [workload for workload in workloads if workload.threaded is threaded]
        threads = settings.threads if threaded else 1
        engines, skipped = driver.start(names, replace(settings, threads=threads))
        try:
            rows += driver.run(batch, engines, settings, progress)
        finally:
            for engine in engines.values():
                engine.stop()
    return rows, {name: engine.info for name, engine in engines.items()}, skipped


def progress(message: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{message:70}", end="\r", file=sys.stderr)


def conclude(
    options: argparse.Namespace,
    settings: driver.Settings,
    info: dict[str, dict],
    skipped: dict[str, str],
    rows: list[driver.Row],
) -> int:
    described = ", ".join(f"{name} {about['version']}" for name, about in info.items())
    threads = {about["threads"] for about in info.values()}
    print(f"{described}; best of {settings.rounds} turns;", end=" ")
    print(f"op and mode on 1 thread, the others on {', '.join(map(str, sorted(threads)))}")
    report.show(report.table(rows, list(info)))
    for note in report.notes(rows):
        print(note)
    found = list(report.verdicts(rows, [name for name in info if ENGINES[name].peer]))
    missed = [verdict.claim for verdict in found if not verdict.holds]
    print(f"{len(found) - len(missed)} of {len(found)} claims hold")
    for claim in missed:
        print(f"  missed  {claim}")
    if options.json:
        report.write_json(options.json, report.as_json(rows, settings, info, skipped))
    disagree = any(row.disagreement() for row in rows)
    return int(disagree or (options.check and bool(missed)))


if __name__ == "__main__":
    sys.exit(main())
