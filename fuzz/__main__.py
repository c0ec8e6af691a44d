"""Run the fuzzer: `python -m fuzz --family state --programs 2000`."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from .families import NAMES
from .running import Options, run


def main(argv: list[str] | None = None) -> int:
    options = _arguments(argv)
    start = time.monotonic()
    counts: Counter[tuple[str, str]] = Counter()
    for found, reports in _results(options):
        counts += found
        for report in reports:
            print(report, flush=True)
        _progress(counts, start, options.programs)
        if sum(counts.values()) % options.report == 0:
            _summary(counts, time.monotonic() - start)
    _summary(counts, time.monotonic() - start)
    return 1 if any(n for (_, kind), n in counts.items() if kind == "disagree") else 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--family", default="all", help=f"all, or some of {','.join(NAMES)}")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="the first program's")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--torch", action="store_true", help="also compare with PyTorch")
    parser.add_argument("--every-way", action="store_true", help="expensive ways take no turns")
    parser.add_argument("--finds", type=int, default=20, help="stop after so many disagreements")
    parser.add_argument("--report", type=int, default=10_000, help="counts after so many programs")
    parser.add_argument("--no-shrinking", action="store_true")
    return parser.parse_args(argv)


def _results(options: argparse.Namespace) -> Any:
    """(counts, reports) of one block of programs after the other."""
    block = 50
    last = options.seed + options.programs
    tasks = [
        Options(options.family, first, min(first + block, last), options.torch, options.every_way,
                not options.no_shrinking)
        for first in range(options.seed, last, block)
    ]  # fmt: skip
    found = 0
    if options.jobs == 1:
        for result in map(run, tasks):
            yield result
            found += len(result[1])
            if found >= options.finds:
                return
        return
    with ProcessPoolExecutor(options.jobs) as pool:
        for result in pool.map(run, tasks):
            yield result
            found += len(result[1])
            if found >= options.finds:
                pool.shutdown(cancel_futures=True)
                return


def _progress(counts: Counter[tuple[str, str]], start: float, programs: int) -> None:
    if sys.stderr.isatty():
        done = sum(counts.values())
        rate = done / (time.monotonic() - start)
        print(f"\r{done}/{programs}  {rate:.0f}/s", end="", file=sys.stderr)


def _summary(counts: Counter[tuple[str, str]], seconds: float) -> None:
    for name in NAMES:
        kinds = {kind: counts[name, kind] for kind in ("ok", "invalid", "disagree")}
        if sum(kinds.values()):
            said = ", ".join(f"{n} {kind}" for kind, n in kinds.items() if n)
            print(f"{name:12} {sum(kinds.values()):7}: {said}")
    total = sum(counts.values())
    print(f"{total} programs in {seconds:.0f} s, {total / seconds:.0f}/s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
