"""Gives the engines their turns: one process each, only one at work at a time."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .case import Goal, Workload
from .engines import ENGINES, Engine, Unavailable

HERE = Path(__file__).resolve().parent
# float32, and engines may add in a different order
RELATIVE_TOLERANCE = 2e-4
# Threads of BLAS and OpenMP spin for a while after work; the next engine should not share a core
# with them.
SECONDS_FOR_THREADS_TO_SLEEP = 0.15


@dataclass(frozen=True)
class Settings:
    rounds: int = 5
    samples: int = 3
    seconds_per_sample: float = 0.003
    threads: int = 1
    peer_python: str = sys.executable
    # Where chainrule is imported from, if there is such a folder; else what is installed.
    source: str = str(HERE.parent / "src")


@dataclass
class Row:
    """One line of the report: what each engine needed, and whether they computed the same."""

    name: str
    group: str
    unit: str = "s"
    goals: tuple[Goal, ...] = ()
    # At most this many times the floor.
    floor: float | None = None
    # An engine, and what it may need at most, in `unit`.
    limit: tuple[str, float] | None = None
    # How far values may differ, relatively.
    tolerance: float = RELATIVE_TOLERANCE
    measured: dict[str, list[float]] = field(default_factory=dict)
    values: dict[str, list[float]] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def best(self, engine: str) -> float | None:
        return min(self.measured[engine]) if self.measured.get(engine) else None

    def median(self, engine: str) -> float | None:
        return statistics.median(self.measured[engine]) if self.measured.get(engine) else None

    def ratio(self, peer: str, engine: str) -> float | None:
        """How many times less `engine` needs than `peer`."""
        ours, theirs = self.best(engine), self.best(peer)
        return theirs / ours if ours and theirs else None

    def winner(self, peers: Iterable[str]) -> str | None:
        """The best of these engines, where any of them ran (and computed the right values)."""
        wrong = self.wrong()
        ran = [name for name in peers if self.measured.get(name) and name not in wrong]
        return min(ran, key=lambda name: min(self.measured[name]), default=None)

    def wrong(self) -> list[str]:
        """Peers that compute other values than eager PyTorch, while we compute the same.

        What they are quick at is not this program, so they are no measure; the report names them.
        """
        reference = self.values.get("torch")
        ours = [values for name, values in self.values.items() if not ENGINES[name].peer]
        if reference is None or not all(self.agree(values, reference) for values in ours):
            return []
        peers = [name for name in self.values if ENGINES[name].peer]
        return [name for name in peers if not self.agree(self.values[name], reference)]

    def agree(self, ours: list[float], theirs: list[float]) -> bool:
        return agree(ours, theirs, self.tolerance)

    def disagreement(self) -> str | None:
        """The first two engines whose values differ (peers known to be wrong aside), or None."""
        wrong = self.wrong()
        names = [name for name in ENGINES if name in self.values and name not in wrong]
        for name in names[1:]:
            if not self.agree(self.values[names[0]], self.values[name]):
                return f"{names[0]} and {name} computed different values"
        return None


def agree(ours: list[float], theirs: list[float], tolerance: float = RELATIVE_TOLERANCE) -> bool:
    """Equal up to rounding, measured against the largest value of the same array."""
    if len(ours) != len(theirs):
        return False
    scale = max((abs(value) for value in theirs), default=0.0)
    return all(
        abs(a - b) <= tolerance * max(abs(b), 1e-2 * min(scale, 1.0))
        for a, b in zip(ours, theirs, strict=True)
    )


def environment(engine: Engine, settings: Settings) -> dict[str, str]:
    """Same number of threads for all; our own source tree for chainrule if it is not installed."""
    threads = settings.threads
    paths = [settings.source] if Path(settings.source).is_dir() and not engine.peer else []
    inherited = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {
        **os.environ,
        **dict.fromkeys(variables, str(threads)),
        **engine.environment(threads),
        "PYTHONPATH": os.pathsep.join([*paths, *inherited]),
    }


def command(engine: Engine, settings: Settings, module: str, *arguments: str) -> list[str]:
    """How a module of this package is run in the interpreter that has the engine."""
    python = settings.peer_python if engine.peer else sys.executable
    return [python, str(HERE / "start.py"), module, *arguments]


class EngineProcess:
    """A worker and the pipe to it."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.engine = engine
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        try:
            self.process = subprocess.Popen(
                command(engine, settings, "worker", engine.name, str(settings.threads)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                text=True,
                env=environment(engine, settings),
            )
        except OSError as error:  # no such interpreter
            self.errors.close()
            raise Unavailable(str(error)) from None
        self.info = self.receive()
        if "unavailable" in self.info:
            self.stop()
            raise Unavailable(self.info["unavailable"])

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(timeout=30)
            reason = self.last_error()
            self.stop()
            raise Unavailable(reason)
        return json.loads(line)

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.receive()

    def last_error(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        return lines[-1] if lines else f"the process ended with code {self.process.poll()}"

    def stop(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self.process.wait(timeout=30)
        self.errors.close()


def start(names: Iterable[str], settings: Settings) -> tuple[dict[str, EngineProcess], dict]:
    """The engines that can run here, and why the others cannot."""
    running: dict[str, EngineProcess] = {}
    skipped: dict[str, str] = {}
    for name in names:
        try:
            running[name] = EngineProcess(ENGINES[name], settings)
        except Unavailable as reason:
            skipped[name] = str(reason)
    return running, skipped


def in_turns(names: list[str], rounds: int) -> Iterator[str]:
    """Every engine once a round; another one begins each time."""
    for turn in range(rounds):
        yield from order(names, turn)


def order(names: list[str], turn: int) -> list[str]:
    shift = turn % max(len(names), 1)
    return names[shift:] + names[:shift]


class Comparison:
    """One workload, open in every engine that can run it."""

    def __init__(
        self, workload: Workload, engines: dict[str, EngineProcess], settings: Settings
    ) -> None:
        self.workload, self.engines, self.settings = workload, engines, settings
        self.row = Row(workload.name, workload.group, goals=workload.goals, floor=workload.floor)
        self.row.tolerance = workload.tolerance or RELATIVE_TOLERANCE
        self.repetitions: dict[str, int] = {}
        for name in engines:
            if not ENGINES[name].covers(workload):
                continue
            opened = self.ask(name, "open", seconds=settings.seconds_per_sample)
            if "unavailable" in opened:
                self.row.unavailable[name] = opened["unavailable"]
            else:
                self.repetitions[name] = opened["repetitions"]
                if opened["values"]:
                    self.row.values[name] = opened["values"]
                if opened["note"]:
                    self.row.notes[name] = opened["note"]

    def ask(self, name: str, request: str, **arguments: Any) -> dict[str, Any]:
        return self.engines[name].ask(do=request, workload=self.workload.name, **arguments)

    def take_turn(self, turn: int) -> None:
        for name in order(list(self.repetitions), turn):
            if self.workload.threaded:
                time.sleep(SECONDS_FOR_THREADS_TO_SLEEP)
            reply = self.ask(
                name,
                "run",
                repetitions=self.repetitions[name],
                samples=self.settings.samples,
            )
            self.row.measured.setdefault(name, []).extend(reply["seconds"])


# Told how many of how many things are done, and what comes next.
Progress = Callable[[int, int, str], None]


def run(
    workloads: list[Workload],
    engines: dict[str, EngineProcess],
    settings: Settings,
    progress: Progress = lambda done, total, message: None,
) -> list[Row]:
    """Rounds over all workloads, not workload by workload.

    A machine has slow minutes; this way they cost every workload a few samples instead of costing
    a few workloads all of theirs.
    """
    total = (1 + settings.rounds) * len(workloads)
    comparisons = []
    for workload in workloads:
        progress(len(comparisons), total, f"opening {workload.name}")
        comparisons.append(Comparison(workload, engines, settings))
    done = len(comparisons)
    for turn in range(settings.rounds):
        for comparison in comparisons:
            progress(done, total, f"round {turn + 1}: {comparison.workload.name}")
            comparison.take_turn(turn)
            done += 1
    return [comparison.row for comparison in comparisons]
