"""Run the file fuzzer: `python -m fuzz.files --files 50000`."""

from __future__ import annotations

import argparse
import mmap
import os
import pickle
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from typing import Any

from .worker import Judge

_GOOD = ("loaded", "refused")
_PATIENCE = 20.0  # seconds of wall clock for one file


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
    for number, family, outcome, problem in _outcomes(options.first, options.first + options.files):
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


def _outcomes(first: int, last: int) -> Any:
    """(number, family, outcome, problem) of each file, through workers that may die."""
    while first < last:
        progress = mmap.mmap(-1, 16)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _work(first, last, progress, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as results:
            status = yield from _watched(child, results, progress)
        at, begun = struct.unpack("<qd", progress[:16])
        if status == 0:
            return
        if not begun:
            raise RuntimeError("the worker cannot start")
        how = "hang" if status == "hang" else f"crash (status {status})"
        yield at, "?", how.split()[0], how
        first = at + 1


def _work(first: int, last: int, progress: mmap.mmap, writing: int) -> None:
    with tempfile.TemporaryDirectory() as folder, os.fdopen(writing, "wb") as results:
        judge = Judge(folder)
        for number in range(first, last):
            progress[:16] = struct.pack("<qd", number, time.monotonic())
            pickle.dump((number, *judge.judge(number)), results)
            results.flush()
    os._exit(0)


def _watched(child: int, results: Any, progress: mmap.mmap) -> Any:
    """Hand on what a worker reports; returns how it ended."""

    def too_long(*_: Any) -> None:
        begun = struct.unpack("<d", progress[8:16])[0]
        if begun and time.monotonic() - begun > _PATIENCE:
            os.kill(child, signal.SIGKILL)
            hung.append(True)

    hung: list[bool] = []
    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    try:
        while True:
            try:
                yield pickle.load(results)
            except (EOFError, pickle.UnpicklingError):
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if sys.exc_info()[0] is GeneratorExit:
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    return "hang" if hung else status


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
