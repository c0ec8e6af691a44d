"""How many times longer the workloads of `bench` take here than in another source tree.

    git worktree add /tmp/before COMMIT
    python tools/compare_speed.py /tmp/before --groups train,step --rounds 20

Both trees run this tree's workloads, each in a process that stays alive, and take turns of some
milliseconds. There are two processes for each tree, as the layout of memory makes two of the same
differ by some percent: "control" is the ratio of the two of the other tree. Ratios are of the best
samples of both, above 1 where this tree is slower.
With one thread the time on the processor counts, so that other programs disturb little.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

from bench import driver, fresh  # noqa: E402  (found by the line before)
from bench.case import Workload  # noqa: E402
from bench.engines import ENGINES  # noqa: E402
from bench.workloads import WORKLOADS  # noqa: E402

SIDES: list[str] = ["before", "here", "before again", "here again"]


def main() -> None:
    options = parse()
    chosen = [
        workload
        for workload in WORKLOADS.values()
        if workload.group in options.groups.split(",") and fnmatch(workload.name, options.only)
    ]
    os.environ["CHAINRULE_BENCH_CLOCK"] = "processor" if options.threads == 1 else "wall"
    print(f"{'workload':44} {'engine':10} {'before':>10} {'here':>10} {'ratio':>6} {'control':>8}")
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        for engine in options.engines.split(","):
            for threaded in (False, True):
                batch = [w for w in chosen if w.threaded is threaded and ENGINES[engine].covers(w)]
                threads = options.threads if threaded else 1
                table |= compare(batch, engine, threads, options, folder) if batch else {}
        if "memory" in options.groups.split(","):
            table |= memory(options, folder)
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="this tree against another")
    parser.add_argument("before", type=Path, help="the other source tree")
    parser.add_argument("--groups", default="train,step,op,mlp,chain,inference")
    parser.add_argument("--only", default="*", help="workloads whose name matches")
    parser.add_argument("--engines", default="chainrule,compiled")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--samples", type=int, default=5, help="of a turn")
    parser.add_argument("--threads", type=int, default=1, help="of the larger workloads")
    parser.add_argument("--json", help="write the best seconds of each side")
    return parser.parse_args()


def settings(options: argparse.Namespace, side: str, threads: int, folder: str) -> driver.Settings:
    """For a process of this side, which also gets a cache of its own for compiled code."""
    os.environ["CHAINRULE_CACHE_DIR"] = str(Path(folder, side))
    tree = HERE if side.startswith("here") else options.before.resolve()
    return driver.Settings(threads=threads, source=str(tree / "src"))


def compare(
    workloads: list[Workload],
    engine: str,
    threads: int,
    options: argparse.Namespace,
    folder: str,
) -> dict[str, dict[str, float]]:
    """Best seconds of each side, printed as they are known."""
    sides = {
        side: driver.EngineProcess(ENGINES[engine], settings(options, side, threads, folder))
        for side in SIDES
    }
    table = {}
    for workload in workloads:
        best = take_turns(workload, sides, options)
        table[f"{workload.name} {engine}"] = best
        show(workload.name, engine, best)
    for process in sides.values():
        process.stop()
    return table


def take_turns(
    workload: Workload, sides: dict[str, driver.EngineProcess], options: argparse.Namespace
) -> dict[str, float]:
    repetitions = 0
    for process in sides.values():
        opened = process.ask(do="open", workload=workload.name, seconds=0.003)
        repetitions = max(repetitions, opened["repetitions"])
    best = dict.fromkeys(sides, float("inf"))
    for turn in range(options.rounds):
        for side in driver.order(list(sides), turn):
            if workload.threaded:
                time.sleep(driver.SECONDS_FOR_THREADS_TO_SLEEP)
            reply = sides[side].ask(
                do="run",
                workload=workload.name,
                repetitions=repetitions,
                samples=options.samples,
            )
            best[side] = min(best[side], *reply["seconds"])
    return best


def memory(options: argparse.Namespace, folder: str) -> dict[str, dict[str, float]]:
    """Peak memory of the workloads that `bench` measures it for, in new processes."""
    table = {}
    for measurement in fresh.memory():
        for engine in set(measurement.engines) & set(options.engines.split(",")):
            best = dict.fromkeys(SIDES, float("inf"))
            for turn in range(3):
                for side in driver.order(SIDES, turn):
                    chosen = settings(options, side, options.threads, folder)
                    reply = fresh.in_a_new_process(measurement, engine, chosen, folder)
                    best[side] = min(best[side], *reply["measured"])
            table[f"{measurement.name} {engine}"] = best
            show(measurement.name, engine, best)
    return table


def show(name: str, engine: str, best: dict[str, float]) -> None:
    before, here = (min(best[side], best[f"{side} again"]) for side in ("before", "here"))
    unit = 1e6 if before < 1e3 else 1e-6  # microseconds, or megabytes
    ratio, control = here / before, best["before again"] / best["before"]
    print(
        f"{name:44} {engine:10} {before * unit:10.2f} {here * unit:10.2f}"
        f" {ratio:6.3f} {control:8.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
