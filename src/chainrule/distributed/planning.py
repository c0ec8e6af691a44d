"""How long a step would take with more processes: an alpha-beta model of what they exchange.

A message of b bytes between two machines takes `latency + b / bandwidth`. An all-reduce of b bytes
over n ranks takes, with L = ceil(log2 n) and B = bandwidth: by a ring, `2 (n - 1) latency +
2 (n - 1) / n b / B`; by a tree, `2 L (latency + b / B)`; by halving and doubling, as MPI libraries
do, `2 L latency + 2 (n - 1) / n b / B`. The fastest counts. Gathering and scattering take half of
the last. One rank's computing time is measured here; backward is taken to be two thirds of it,
during which gradients of full buckets travel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import chainrule as torch

from .ddp.buckets import sizes_of

_BACKWARD_SHARE = 2 / 3


@dataclass(frozen=True)
class Estimate:
    """The prediction for one number of ranks and one way to train."""

    ranks: int
    strategy: str  # "ddp", "zero" or "sharded"
    compute: float  # seconds of one rank's forward, backward and step
    communication: float  # seconds that messages travel
    exposed: float  # of these, seconds that nothing hides
    memory: int  # bytes of parameters, gradients and optimizer state per rank

    @property
    def step(self) -> float:
        """Seconds of a step."""
        return self.compute + self.exposed

    @property
    def overlap(self) -> float:
        """The share of communication that computing hides."""
        return 1.0 - self.exposed / self.communication if self.communication else 1.0

    @property
    def efficiency(self) -> float:
        """Examples per second and rank, against one rank."""
        return self.compute / self.step

    def __str__(self) -> str:
        return (
            f"{self.ranks:6} {self.strategy:8} {1e3 * self.step:10.3f} ms {1e3 * self.exposed:9.3f}"
            f" ms waiting {self.overlap:6.0%} hidden {self.efficiency:6.0%} efficient "
            f"{self.memory / 2**20:9.1f} MiB"
        )


def all_reduce_seconds(count: float, ranks: int, bandwidth: float, latency: float) -> float:
    """Seconds of an all-reduce of so many bytes, in the fastest of three ways."""
    if ranks == 1:
        return 0.0
    rounds = math.ceil(math.log2(ranks))
    moved = 2 * (ranks - 1) / ranks * count / bandwidth
    ring = 2 * (ranks - 1) * latency + moved
    tree = 2 * rounds * (latency + count / bandwidth)
    return min(ring, tree, 2 * rounds * latency + moved)


def gather_seconds(count: float, ranks: int, bandwidth: float, latency: float) -> float:
    """Seconds to gather, or to reduce and scatter, so many bytes in all."""
    if ranks == 1:
        return 0.0
    rounds = math.ceil(math.log2(ranks))
    return rounds * latency + (ranks - 1) / ranks * count / bandwidth


def estimate(
    model: Any, batch: Any, ranks: int | Sequence[int], bandwidth: float, latency: float,
    *, loss: Callable[[Any], Any] | None = None, states: int = 2,
    bucket_cap_mb: float | None = None, compute: float | None = None,
) -> list[Estimate]:  # fmt: skip
    """Step time, hidden communication and memory for DDP, ZeRO and full sharding.

    `bandwidth` is in bytes per second and `latency` in seconds, between two ranks; `states` is the
    number of tensors an optimizer keeps per parameter (2 for Adam). One step of the model on the
    batch is measured unless `compute` says how many seconds it takes. Each rank is taken to have a
    batch of this size.

    >>> import chainrule as torch, chainrule.distributed as dist
    >>> found = dist.estimate(torch.nn.Linear(64, 64), torch.ones(8, 64), [1, 2], 1e9, 1e-6,
    ...                       compute=1e-3)
    >>> [(e.ranks, e.strategy) for e in found][3:]
    [(2, 'ddp'), (2, 'zero'), (2, 'sharded')]
    """
    seconds = _measured(model, batch, loss) if compute is None else compute
    trained = [p for p in model.parameters() if p.requires_grad]
    buckets = [
        sum(p.numel() * p.element_size() for p in members)
        for members in sizes_of(list(reversed(trained)), bucket_cap_mb)
    ]
    counts = [ranks] if isinstance(ranks, int) else list(ranks)
    network = bandwidth, latency
    return [
        made(n, seconds, buckets, states, network)
        for n in counts
        for made in (_ddp, _zero, _sharded)
    ]


def _hidden(seconds: float, times: Sequence[float]) -> float:
    """What of the buckets' times is not hidden: each starts when backward has filled it."""
    backward = _BACKWARD_SHARE * seconds
    free = 0.0  # when the network is free again, from the beginning of backward
    for k, t in enumerate(times):
        free = max(free, backward * (k + 1) / len(times)) + t
    return max(0.0, free - backward)


def _ddp(n: int, seconds: float, buckets: Sequence[int], states: int, net: Any) -> Estimate:
    times = [all_reduce_seconds(b, n, *net) for b in buckets]
    total = sum(buckets)
    return Estimate(n, "ddp", seconds, sum(times), _hidden(seconds, times), total * (2 + states))


def _zero(n: int, seconds: float, buckets: Sequence[int], states: int, net: Any) -> Estimate:
    times = [all_reduce_seconds(b, n, *net) for b in buckets]
    total = sum(buckets)
    after = n * net[1] + gather_seconds(total, n, *net) if n > 1 else 0.0  # parameters, after step
    exposed = _hidden(seconds, times) + after
    return Estimate(
        n, "zero", seconds, sum(times) + after, exposed, total * 2 + total * states // n
    )


def _sharded(n: int, seconds: float, buckets: Sequence[int], states: int, net: Any) -> Estimate:
    gather = [gather_seconds(b, n, *net) for b in buckets]
    exposed = 2 * sum(gather) + _hidden(seconds, gather)  # gathered before use, without overlap
    total = sum(buckets)
    memory = total * (2 + states) // n + max(buckets, default=0)
    return Estimate(n, "sharded", seconds, 3 * sum(gather), exposed, memory)


def _measured(model: Any, batch: Any, loss: Callable[[Any], Any] | None, repeats: int = 5) -> float:
    """The fastest of a few steps of this process, in seconds; gradients are left as they were."""
    before = [p.grad for p in model.parameters()]
    inputs = batch if isinstance(batch, tuple | list) else (batch,)
    best = math.inf
    for _ in range(repeats):
        began = time.perf_counter()
        out = model(*inputs)
        (out.float().square().mean() if loss is None else loss(out)).backward()
        best = min(best, time.perf_counter() - began)
    for p, grad in zip(model.parameters(), before, strict=True):
        p.grad = grad
    return best


def measured_network(group: Any = None, megabytes: float = 4.0) -> tuple[float, float]:
    """(bandwidth in bytes per second, latency in seconds) between two ranks, from messages here."""
    from .collectives import all_reduce, barrier
    from .group import get_world_size

    def fastest(count: int, repeats: int) -> float:
        tensor, best = torch.zeros(count), math.inf
        for _ in range(repeats):
            barrier(group)
            began = time.perf_counter()
            all_reduce(tensor, group=group)
            best = min(best, time.perf_counter() - began)
        return best

    n = get_world_size(group)
    count = int(megabytes * (1 << 18))
    small, large = fastest(1, 20), fastest(count, 5)
    latency = small / (2 * math.ceil(math.log2(n)))
    return 2 * (n - 1) / n * 4 * count / max(large - small, 1e-9), latency


__all__ = ["Estimate", "estimate", "measured_network"]
