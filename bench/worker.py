"""A long-lived process that runs one engine: `start.py worker ENGINE THREADS`.

It reads one JSON request a line and answers with one JSON line. Only the driver's turn makes it
work, so that two engines never compute at the same time.
"""

import gc
import json
import os
import platform
import sys
import traceback
from typing import Any

from .case import Case
from .engines import ENGINES
from .workloads import WORKLOADS

MAX_REPETITIONS = 1_000_000
# Samples of a turn stop here: of a slow step one sample a turn is enough.
SECONDS_OF_A_TURN = 0.1
# Between turns threads fall asleep, and others use the caches.
SECONDS_TO_WARM_UP = 0.01


class Worker:
    def __init__(self, engine: str, threads: int) -> None:
        self.engine = ENGINES[engine]
        self.module = self.engine.load()
        self.engine.use_threads(self.module, threads)
        self.threads = threads
        self.cases: dict[str, Case] = {}
        # The engine's own objects stay for good; without this a collection before every sample
        # would take most of the time of a run.
        gc.collect()
        gc.freeze()

    def info(self) -> dict[str, Any]:
        threads = getattr(self.module, "get_num_threads", lambda: self.threads)()
        return {
            "version": self.engine.version(self.module),
            "python": platform.python_version(),
            "threads": threads,
        }

    def open(self, workload: str, seconds: float) -> dict[str, Any]:
        """Build a case, say what it computes, and how many repetitions fill `seconds`."""
        case = self.engine.build(self.module, WORKLOADS[workload])
        if case is None:
            return {"unavailable": "no counterpart"}
        self.cases[workload] = case
        values = case.values()
        repetitions = 1
        while (took := case.seconds(repetitions)) < seconds and repetitions < MAX_REPETITIONS:
            repetitions = max(repetitions + 1, int(repetitions * min(8.0, 1.1 * seconds / took)))
        note = getattr(case, "note", "")
        return {"values": values, "repetitions": repetitions, "note": note}

    def run(self, workload: str, repetitions: int, samples: int) -> dict[str, Any]:
        """Seconds per repetition of each sample; the first ones only warm up."""
        case = self.cases[workload]
        gc.collect()
        spent = case.seconds(repetitions)
        while spent < SECONDS_TO_WARM_UP:
            spent += case.seconds(repetitions)
        seconds: list[float] = []
        while not seconds or (len(seconds) < samples and spent < SECONDS_OF_A_TURN):
            took = case.seconds(repetitions)
            spent += took
            seconds.append(took / repetitions)
        return {"seconds": seconds}


def answer(worker: Worker, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return getattr(worker, request.pop("do"))(**request)
    except Exception as error:  # an engine may fail one workload and run the others
        traceback.print_exc()
        return {"unavailable": described(error)}


def described(error: Exception) -> str:
    """The type and the first line that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def main(engine: str, threads: str) -> None:
    # Whatever a library prints must not end up between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        worker = Worker(engine, int(threads))
    except Exception as error:
        print(json.dumps({"unavailable": described(error)}), file=answers, flush=True)
        return
    print(json.dumps(worker.info()), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(worker, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
