"""How long a step would take with more processes: an alpha-beta model of what they exchange.

A message of b bytes between two machines takes `latency + b / bandwidth`. An all-reduce of b bytes
over n ranks takes, with L = ceil(log2 n) and B = bandwidth: by a ring, `2 (n - 1) latency +
2 (n - 1) / n b / B`; by a tree, `2 L (latency + b / B)`; by halving and doubling, as MPI libraries
do, `2 L latency + 2 (n - 1) / n b / B`. The fastest counts. Gathering and scattering take half of
the last. One rank's computing is profiled here: how long a step takes, which share of it backward
is, and when in backward each gradient is there, so that its bucket can travel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import chainrule as torch

from .ddp.buckets import sizes_of

_REPEATS = 5
_WARM_UP = 4  # calls after which a compiled step runs its plan


@dataclass(frozen=True)
class Estimate:
    """The prediction for one number of ranks and one way to train."""

    ranks: int
    strategy: str  # "ddp", "zero" or "sharded"
    compute: float  # seconds of one rank's step
    communication: float  # seconds that messages travel
    exposed: float  # of these, seconds that nothing hides
    memory: int  # bytes of parameters, gradients, buckets and optimizer state per rank

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
    step: Callable[[], Any] | None = None,
) -> list[Estimate]:  # fmt: skip
    """Step time, hidden communication and memory for DDP, ZeRO and full sharding.

    `bandwidth` is in bytes per second and `latency` in seconds, between two ranks; `states` is the
    number of tensors an optimizer keeps per parameter (2 for Adam). Forward and backward on the
    batch are profiled; how long a step takes in all is measured by calling `step`, which makes a
    whole one of this process, compiled or not, or given as `compute`, in seconds. A model without
    a batch (None) is not run. Each rank is taken to have a batch of this size.

    >>> import chainrule as torch, chainrule.distributed as dist
    >>> found = dist.estimate(torch.nn.Linear(64, 64), torch.ones(8, 64), [1, 2], 1e9, 1e-6,
    ...                       compute=1e-3)
    >>> [(e.ranks, e.strategy) for e in found][3:]
    [(2, 'ddp'), (2, 'zero'), (2, 'sharded')]
    """
    profile = _even(model) if batch is None else _profiled(model, batch, loss)
    if step is not None:
        compute = _fastest(step)
    if compute is not None:
        profile = replace(profile, seconds=compute)
    buckets = _buckets(model, profile, bucket_cap_mb)
    counts = [ranks] if isinstance(ranks, int) else list(ranks)
    network = bandwidth, latency
    return [
        made(n, profile, buckets, states, network)
        for n in counts
        for made in (_ddp, _zero, _sharded)
    ]


# ---- one rank ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Profile:
    """A step of one process: its seconds, the share of backward, when gradients are there."""

    seconds: float
    backward: float  # share of the seconds; the optimizer's step is taken to be short
    arrivals: tuple[tuple[Any, float], ...]  # parameters in order, and the share of backward before


def _even(model: Any) -> _Profile:
    """Of a model that is not run: backward is two thirds, gradients come in even steps of bytes."""
    trained = [p for p in model.parameters() if p.requires_grad]
    total = sum(_bytes(p) for p in trained)
    done, arrivals = 0, []
    for p in reversed(trained):
        done += _bytes(p)
        arrivals.append((p, done / total))
    return _Profile(0.0, 2 / 3, tuple(arrivals))


def _profiled(model: Any, batch: Any, loss: Callable[[Any], Any] | None) -> _Profile:
    """The fastest of a few passes of this process; gradients are left as they were."""
    trained = [p for p in model.parameters() if p.requires_grad]
    before = [p.grad for p in trained]
    inputs = batch if isinstance(batch, tuple | list) else (batch,)
    best = (math.inf, 0.0, ())
    times: list[tuple[Any, float]] = []
    handles = [
        p.register_post_accumulate_grad_hook(lambda p: times.append((p, time.perf_counter())))
        for p in trained
    ]
    try:
        for _ in range(_REPEATS):
            times.clear()
            began = time.perf_counter()
            out = model(*inputs)
            value = out.float().square().mean() if loss is None else loss(out)
            middle = time.perf_counter()
            value.backward()
            ended = time.perf_counter()
            shares = tuple((p, (at - middle) / (ended - middle)) for p, at in times)
            best = min(best, (ended - began, (ended - middle) / (ended - began), shares),
                       key=lambda found: found[0])  # fmt: skip
    finally:
        for handle in handles:
            handle.remove()
        for p, grad in zip(trained, before, strict=True):
            p.grad = grad
    return _Profile(*best)


def _fastest(step: Callable[[], Any]) -> float:
    """The fastest of a few calls, after those in which it may be compiled."""
    best = math.inf
    for number in range(_WARM_UP + _REPEATS):
        began = time.perf_counter()
        step()
        if number >= _WARM_UP:
            best = min(best, time.perf_counter() - began)
    return best


def _buckets(model: Any, profile: _Profile, megabytes: float | None) -> list[tuple[int, float]]:
    """(bytes, share of backward after which it is full) of each bucket, in order."""
    at = {id(p): share for p, share in profile.arrivals}
    order = [p for p, _ in profile.arrivals]
    order += [p for p in model.parameters() if p.requires_grad and id(p) not in at]
    return [
        (sum(map(_bytes, members)), max(at.get(id(p), 1.0) for p in members))
        for members in sizes_of(order, megabytes)
    ]


def _bytes(p: Any) -> int:
    return p.numel() * p.element_size()


# ---- several ranks -------------------------------------------------------------------------------


def _exposed(profile: _Profile, full: Sequence[float], times: Sequence[float]) -> float:
    """What of the buckets' times is not hidden: each starts when backward has filled it."""
    backward = profile.backward * profile.seconds
    free = 0.0  # when the network is free again, from the beginning of backward
    for share, t in zip(full, times, strict=True):
        free = max(free, backward * share) + t
    return max(0.0, free - backward)


def _ddp(n: int, profile: _Profile, buckets: Any, states: int, net: Any) -> Estimate:
    sizes, full = zip(*buckets, strict=True)
    times = [all_reduce_seconds(b, n, *net) for b in sizes]
    held = 3 if n > 1 else 2  # parameters, gradients, and buckets
    exposed, memory = _exposed(profile, full, times), sum(sizes) * (held + states)
    return Estimate(n, "ddp", profile.seconds, sum(times), exposed, memory)


def _zero(n: int, profile: _Profile, buckets: Any, states: int, net: Any) -> Estimate:
    plain = _ddp(n, profile, buckets, states, net)
    total = sum(size for size, _ in buckets)
    # Each rank broadcasts the parameters it has updated, after the step.
    after = n * net[1] + gather_seconds(total, n, *net) if n > 1 else 0.0
    memory = plain.memory - total * states + total * states // n
    return Estimate(
        n, "zero", plain.compute, plain.communication + after, plain.exposed + after, memory
    )


def _sharded(n: int, profile: _Profile, buckets: Any, states: int, net: Any) -> Estimate:
    sizes, full = zip(*buckets, strict=True)
    gather = [gather_seconds(b, n, *net) for b in sizes]
    exposed = 2 * sum(gather) + _exposed(profile, full, gather)  # gathered before use, no overlap
    # Its part of everything, and the parameters and gradients of the bucket that computes.
    whole = 2 * max(sizes) if n > 1 else 0
    memory = sum(sizes) * (2 + states) // n + whole
    return Estimate(n, "sharded", profile.seconds, 3 * sum(gather), exposed, memory)


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
