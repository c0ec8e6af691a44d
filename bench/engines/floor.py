"""The floor of a training step: its matrix products alone, plus the optimizer's memory traffic.

No engine on these products can be faster. They run through NumPy's BLAS and, in one plan, through
chainrule's own product; the faster of both counts. AdamW reads parameter, gradient and two averages
and writes three of them; the time for that is measured as a copy between buffers of that size.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from ..case import Case, Workload, best_seconds, fastest, sample
from . import jax_models
from .base import Counterparts

FLOATS_MOVED_BY_ADAMW = 7

# Two arrays whose product is part of the step.
Pair = tuple[np.ndarray, np.ndarray]


def array(*shape: int) -> np.ndarray:
    return sample(1, *shape)


def linear(rows: int, inputs: int, outputs: int, first: bool = False) -> Iterator[Pair]:
    """Forward, gradient of the weight, and (unless it is the first layer) of the input."""
    x, weight, gradient = array(rows, inputs), array(outputs, inputs), array(rows, outputs)
    yield x, weight.T
    yield gradient.T, x
    if not first:
        yield gradient, weight


def mlp(sizes: tuple[int, ...], batch: int) -> Iterator[Pair]:
    for layer, (inputs, outputs) in enumerate(pairwise(sizes)):
        yield from linear(batch, inputs, outputs, first=layer == 0)


def convolution(batch: int, inputs: int, outputs: int, side: int, first: bool) -> Iterator[Pair]:
    """A 3 by 3 convolution as the product of its patches and its weights."""
    yield from linear(batch * (side - 2) ** 2, 9 * inputs, outputs, first)


def cnn(batch: int) -> Iterator[Pair]:
    yield from convolution(batch, 1, 32, 28, first=True)
    yield from convolution(batch, 32, 64, 26, first=False)
    yield from linear(batch, 9216, 128)
    yield from linear(batch, 128, 10)


def lstm(inputs: int, hidden: int, length: int, batch: int) -> Iterator[Pair]:
    yield from linear(batch * length, inputs, 4 * hidden, first=True)
    state, gradient = array(batch, hidden), array(batch, 4 * hidden)
    weight = array(4 * hidden, hidden)
    for _ in range(length):  # one after the other, forward and back
        yield state, weight.T
        yield gradient, weight
    yield array(batch * length, 4 * hidden).T, array(batch * length, hidden)
    yield from linear(batch * length, hidden, 10)


def gpt(layers: int, width: int, heads: int, length: int, batch: int) -> Iterator[Pair]:
    rows, size, half = batch * length, width // heads, max(length // 2, 1)
    for _ in range(layers):
        for inputs, outputs in ((width, 3 * width), (width, width), (width, 4 * width)):
            yield from linear(rows, inputs, outputs)
        yield from linear(rows, 4 * width, width)
        queries, keys = array(batch * heads, length, size), array(batch * heads, size, half)
        scores, values = array(batch * heads, length, half), array(batch * heads, half, size)
        # A causal mask spares half of each; two forward, four backward.
        for _ in range(3):
            yield queries, keys
            yield scores, values
    yield from linear(rows, width, jax_models.VOCABULARY)


PRODUCTS: dict[str, Callable[..., Iterator[Pair]]] = {
    "mlp": mlp, "cnn": cnn, "lstm": lstm, "gpt": gpt,
}  # fmt: skip


def by_blas(pairs: list[Pair]) -> Callable[[], None]:
    jobs = [(a, b, np.matmul(a, b)) for a, b in pairs]

    def run() -> None:
        for a, b, out in jobs:
            np.matmul(a, b, out=out)

    return run


def by_chainrule(pairs: list[Pair]) -> Callable[[], Any]:
    """All products as one compiled plan."""
    import chainrule

    tensors = [chainrule.tensor(a) for pair in pairs for a in pair]
    run = chainrule.compile(lambda *t: [a @ b for a, b in zip(t[::2], t[1::2], strict=True)])
    for _ in range(4):
        run(*tensors)
    return lambda: run(*tensors)


def bytes_per_second(size: int, threads: int) -> float:
    """Read and written, by all threads, between two buffers of half that size."""
    half = max(size // 8, 1024)
    source, target = np.ones(half, np.float32), np.empty(half, np.float32)
    bounds = np.linspace(0, half, threads + 1).astype(int)
    pieces = [(target[a:b], source[a:b]) for a, b in pairwise(bounds)]

    def copy(repetitions: int) -> None:
        workers = [
            threading.Thread(target=lambda p=p: [np.copyto(*p) for _ in range(repetitions)])
            for p in pieces[1:]
        ]
        for worker in workers:
            worker.start()
        for _ in range(repetitions):
            np.copyto(*pieces[0])
        for worker in workers:
            worker.join()

    repetitions = max(1, 50_000_000 // (8 * half))
    return 8 * half * repetitions / best_seconds(lambda: copy(repetitions))


@dataclass
class FloorCase:
    products: Callable[[], Any]
    traffic_seconds: float
    note: str

    def seconds(self, repetitions: int) -> float:
        start = perf_counter()
        for _ in range(repetitions):
            self.products()
        return perf_counter() - start + repetitions * self.traffic_seconds

    def values(self) -> list[float]:
        return []


@dataclass(frozen=True)
class FloorEngine(Counterparts):
    def covers(self, workload: Workload) -> bool:
        return workload.group == "train"

    def use_threads(self, module: Any, count: int) -> None:
        module.set_num_threads(count)


def train_case(family: str, **sizes: Any) -> Case:
    import chainrule

    pairs = list(PRODUCTS[family](**sizes))
    ways = {"BLAS": by_blas(pairs), "chainrule's product": by_chainrule(pairs)}
    name = fastest(ways)
    floats = sum(a.size for a in jax_models.parameters(family, **sizes).values())
    bandwidth = bytes_per_second(16 * floats, chainrule.get_num_threads())
    traffic = 4 * FLOATS_MOVED_BY_ADAMW * floats
    operations = sum(2 * a.size * b.shape[-1] for a, b in pairs)
    note = (
        f"{len(pairs)} products by {name}, {operations / 1e6:.4g} MFLOP, and {traffic / 1e6:.3g} MB"
        f" at {bandwidth / 1e9:.3g} GB/s"
    )
    return FloorCase(ways[name], traffic / bandwidth, note)


FLOOR = FloorEngine("floor", "chainrule", builders={"train": train_case})
