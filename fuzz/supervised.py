"""Run numbered trials in a process that may crash, hang or run out of memory."""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import struct
import sys
import time
from collections.abc import Callable
from typing import Any


def outcomes(first: int, last: int, started: Callable[[], Any], patience: float) -> Any:
    """(number, *what the trial returns) of each number, through workers that may die.

    `with started() as trial` makes the trial in the worker. A trial that ends its worker yields
    (number, "?", "crash" or "hang", what was seen), and the next worker goes on behind it.
    `patience` is how many seconds one trial may compute; one that waits gets ten times as long,
    because a busy machine makes everything wait.
    """
    while first < last:
        progress = mmap.mmap(-1, 24)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _work(first, last, started, progress, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as results:
            status = yield from _watched(child, results, progress, patience)
        at, begun = struct.unpack("<qd", progress[:16])
        if status == 0:
            return
        if not begun:
            raise RuntimeError("the worker cannot start")
        how = "hang" if status == "hang" else f"crash (status {status})"
        yield at, "?", how.split()[0], how
        first = at + 1


def _work(
    first: int, last: int, started: Callable[[], Any], progress: mmap.mmap, writing: int
) -> None:
    with os.fdopen(writing, "wb") as results, started() as trial:
        for number in range(first, last):
            progress[:24] = struct.pack("<qdd", number, time.monotonic(), time.process_time())
            pickle.dump((number, *trial(number)), results)
            results.flush()
    os._exit(0)


def _computed(process: int) -> float:
    """The processor time of a process so far, in seconds."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _watched(child: int, results: Any, progress: mmap.mmap, patience: float) -> Any:
    """Hand on what a worker reports; returns how it ended."""

    def too_long(*_: Any) -> None:
        begun, computed = struct.unpack("<dd", progress[8:24])
        waited = time.monotonic() - begun
        if (
            begun
            and waited > patience
            and (_computed(child) - computed > patience or waited > 10 * patience)
        ):
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
