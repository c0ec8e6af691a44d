"""What is timed: a case knows how long some repetitions took, and what it computed."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from time import perf_counter, process_time
from typing import Any, Protocol

import numpy as np

VALUES_COMPARED_ONE_BY_ONE = 16
# The time on a processor alone is what remains comparable on a machine that others keep busy, of
# workloads on one thread (see tools/compare_speed.py).
clock = process_time if os.environ.get("CHAINRULE_BENCH_CLOCK") == "processor" else perf_counter


class Case(Protocol):
    def seconds(self, repetitions: int) -> float:
        """Run that often; return the time of the part that is measured."""
        ...

    def values(self) -> list[float]:
        """What was computed, so that engines can be compared; never timed."""
        ...


def nothing() -> None:
    """Engines that compute at once have nothing to wait for."""


@dataclass
class Repeated:
    """A step that is timed as a whole."""

    step: Callable[[], object]
    values: Callable[[], list[float]]
    # How the engine ran it, for the report.
    note: str = ""
    # Waits for what was started, in engines that return before they have computed.
    finish: Callable[[], object] = nothing

    def seconds(self, repetitions: int) -> float:
        step = self.step
        start = clock()
        for _ in repeat(None, repetitions):
            step()
        self.finish()
        return clock() - start


@dataclass
class Prepared:
    """A step that consumes something made off the clock (a backward pass needs its graph)."""

    prepare: Callable[[], Any]
    step: Callable[[Any], object]
    values: Callable[[], list[float]]
    # Few alive at a time: a large batch would time cold memory instead of the step.
    batch: int = 20

    def seconds(self, repetitions: int) -> float:
        step, total, left = self.step, 0.0, repetitions
        while left > 0:
            items = [self.prepare() for _ in range(min(left, self.batch))]
            left -= len(items)
            start = clock()
            for item in items:
                step(item)
            total += clock() - start
        return total


@dataclass
class Within:
    """A repeated step inside a context that is entered once, off the clock."""

    context: Callable[[], Any]
    repeated: Repeated

    def seconds(self, repetitions: int) -> float:
        with self.context():
            return self.repeated.seconds(repetitions)

    def values(self) -> list[float]:
        with self.context():
            return self.repeated.values()


def keep(function: Callable) -> Callable:
    """The default for `Style.wrap`: run the function as it is written."""
    return function


@dataclass(frozen=True)
class Style:
    """How an engine that speaks PyTorch's API is used at its best."""

    # Turns a function into something faster.
    wrap: Callable[[Callable], Callable] = keep
    # The same for functions that are called with many lengths.
    varied: Callable[[Callable], Callable] = keep
    # It wraps whole steps, backward and update included; otherwise only what computes the loss.
    whole: bool = False
    # It also wraps the optimizer's step.
    wraps_update: bool = False
    # Settings of the optimizer to choose from, before the clock starts.
    optimizers: tuple[dict[str, bool], ...] = ({},)


# "Best peer" means the best of these.
PEERS = ("torch", "torch.compile", "torch.compile+step", "jax")


@dataclass(frozen=True)
class Goal:
    """`engine` is to be `ratio` times faster (or smaller) than the best of `peers`."""

    ratio: float
    engine: str = "compiled"
    peers: tuple[str, ...] = PEERS


def eager_goal(ratio: float) -> Goal:
    """Eager chainrule against eager PyTorch."""
    return Goal(ratio, "chainrule", ("torch",))


@dataclass(frozen=True)
class Workload:
    """One program, and how much faster than its peers it is meant to be.

    `build(torch, style)` makes the case with that module. Engines with another API look at `kind`
    and `params` for a counterpart that they wrote themselves.
    """

    name: str
    group: str
    build: Callable[[Any, Style], Case]
    kind: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    goals: tuple[Goal, ...] = ()
    # Large enough to gain from a second thread; the others run on one.
    threaded: bool = False
    # Its products decide: compiled, it is to be at most this many times slower than they alone.
    floor: float | None = None
    # How far values may differ, relatively; None: as far as float32 in another order does.
    tolerance: float | None = None


def digest(arrays: Iterable[Any]) -> list[float]:
    """A few numbers that would differ if the arrays did: small ones whole, large ones summed."""
    numbers: list[float] = []
    for array in arrays:
        flat = np.asarray(array, dtype=np.float64).ravel()
        if flat.size > VALUES_COMPARED_ONE_BY_ONE:
            numbers += [float(np.abs(flat).sum()), float(np.square(flat).sum())]
        numbers += flat[:VALUES_COMPARED_ONE_BY_ONE].tolist()
    return numbers


def as_arrays(tensors: Sequence[Any]) -> list[np.ndarray]:
    return [tensor.detach().numpy() for tensor in tensors]


def sample(seed: int, *shape: int, scale: float = 1.0) -> np.ndarray:
    """The same float32 numbers for every engine."""
    stream = np.random.RandomState(seed)
    return (stream.standard_normal(shape) * scale).astype(np.float32)


TRIAL_SECONDS = 0.15


def fastest(ways: dict[str, Callable[[], object]]) -> str:
    """Which of these functions is the fastest, by a short trial; one of one is not tried.

    A way that fails on trial is out: compilers may fail when they compile again.
    """
    if len(ways) == 1:
        return next(iter(ways))
    seconds: dict[str, float] = {}
    failed: list[Exception] = []
    for name, way in ways.items():
        try:
            seconds[name] = best_seconds(way)
        except Exception as error:
            failed.append(error)
    if not seconds:
        raise failed[0]
    return min(seconds, key=lambda name: seconds[name])


def best_seconds(step: Callable[[], object], limit: float = TRIAL_SECONDS) -> float:
    best, end = float("inf"), perf_counter() + limit
    while True:
        start = perf_counter()
        step()
        now = perf_counter()
        best = min(best, now - start)
        if now > end:
            return best
