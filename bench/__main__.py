"""The command line: `python -m bench --help`."""

import argparse
import os
import sys
from fnmatch import fnmatch

from bench import driver, fresh, report
from bench.case import Workload
from bench.engines import ENGINES
from bench.workloads import WORKLOADS

GROUPS = ("op", "mlp", "mode", "import", "memory")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench", description="chainrule against its peers")
    parser.add_argument("--engines", default=",".join(ENGINES), help="default: %(default)s")
    parser.add_argument("--groups", default=",".join(GROUPS), help="default: %(default)s")
    parser.add_argument("--only", default="*", help="workloads whose name matches, e.g. 'op/add/*'")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each engine")
    parser.add_argument("--quick", action="store_true", help="two short rounds: a smoke test")
    parser.add_argument("--threads", type=int, default=cores(), help="default: all cores")
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
    engines, skipped = driver.start(options.engines.split(","), settings)
    for name, reason in skipped.items():
        print(f"skipped: {name} ({reason})", file=sys.stderr)
    try:
        rows = driver.run(workloads, engines, settings, progress)
    finally:
        for engine in engines.values():
            engine.stop()
    rows += [fresh.measure(row, list(engines), settings) for row in fresh_rows]
    return conclude(options, settings, engines, skipped, rows)


def progress(row: driver.Row) -> None:
    if sys.stderr.isatty():
        print(f"\r{row.name:60}", end="\r", file=sys.stderr)


def conclude(options, settings, engines, skipped, rows) -> int:
    info = {name: engine.info for name, engine in engines.items()}
    described = ", ".join(f"{n} {i['version']} ({i['threads']} threads)" for n, i in info.items())
    report.show(report.table(rows, list(engines)), f"best of {settings.rounds} turns: {described}")
    for note in report.notes(rows):
        print(note)
    found = list(report.verdicts(rows, [n for n in engines if ENGINES[n].peer]))
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
