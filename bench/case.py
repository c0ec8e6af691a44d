"""What is timed: a case knows how long some repetitions took, and what it computed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from time import perf_counter
from typing import Any, Protocol

import numpy as np

VALUES_COMPARED_ONE_BY_ONE = 16


class Case(Protocol):
    def seconds(self, repetitions: int) -> float:
        """Run that often; return the time of the part that is measured."""
        ...

    def values(self) -> list[float]:
        """What was computed, so that engines can be compared; never timed."""
        ...


@dataclass
class Repeated:
    """A step that is timed as a whole."""

    step: Callable[[], object]
    values: Callable[[], list[float]]

    def seconds(self, repetitions: int) -> float:
        step = self.step
        start = perf_counter()
        for _ in repeat(None, repetitions):
            step()
        return perf_counter() - start


@dataclass
class Noted(Repeated):
    """A step with something to say about how it was run."""

    note: str = ""


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
            start = perf_counter()
            for item in items:
                step(item)
            total += perf_counter() - start
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
    """The default for `compiled`: run the function as it is written."""
    return function


@dataclass(frozen=True)
class Workload:
    """One program, and how much faster than the peer it is meant to be.

    `build(torch, compiled)` makes the case with that module; `compiled` wraps the function that
    computes, for engines that turn functions into something faster.
    """

    name: str
    group: str
    build: Callable[[Any, Callable], Case]
    params: dict[str, Any] = field(default_factory=dict)
    goal: float | None = None
    # Large enough to gain from a second thread; the others run on one.
    threaded: bool = False


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
