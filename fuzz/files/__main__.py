"""Run the file fuzzer: `python -m fuzz.files --files 50000`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..supervised import outcomes
from .worker import Judge

_GOOD = ("loaded", "refused")
_PATIENCE = 20.0  # seconds for one file


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz.files", description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    parser.add_argument("--keep", default="", help="a folder for the files that were found")
    parser.add_argument("--report", type=int, default=5000, help="counts after so many files")
    parser.add_argument("--finds", type=int, default=50, help="stop after so many finds")
    options = parser.parse_args(argv)
    counts: Counter[tuple[str, str]] = Counter()
    start = time.monotonic()
    found = done = 0
    for number, family, outcome, problem in outcomes(
        options.first, options.first + options.files, _judging, _PATIENCE
    ):
        counts[family, outcome] += 1
        done += 1
        if outcome not in _GOOD or problem:
            found += 1
            print(f"--- file {number} ({family}): {outcome}: {problem}", flush=True)
            _keep(options.keep, number)
            if found >= options.finds:
                break
        if done % options.report == 0:
            _summary(counts, time.monotonic() - start)
    _summary(counts, time.monotonic() - start)
    return 1 if found else 0


@contextmanager
def _judging() -> Iterator[Any]:
    """The trial of a worker: it makes, loads and judges the file of a number."""
    with tempfile.TemporaryDirectory() as folder:
        yield Judge(folder).judge


def _keep(folder: str, number: int) -> None:
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    child = os.fork()  # the judge's limits and hook are not for this process
    if not child:
        with tempfile.TemporaryDirectory() as room:
            _, ending, data = Judge(room).make(number)
        with open(os.path.join(folder, f"{number}.{ending}"), "wb") as file:
            file.write(data)
        os._exit(0)
    os.waitpid(child, 0)


def _summary(counts: Counter[tuple[str, str]], seconds: float) -> None:
    for family in sorted({family for family, _ in counts}):
        said = ", ".join(f"{n} {o}" for (f, o), n in sorted(counts.items()) if f == family)
        print(f"{family:10} {said}")
    total = sum(counts.values())
    print(f"{total} files in {seconds:.0f} s, {total / max(seconds, 1e-9):.0f}/s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
