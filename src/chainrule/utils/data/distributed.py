"""DistributedSampler: each process of a group gets its own share of the samples."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import Any

import chainrule as torch

from ...autograd.accidents import explain_module
from .sampler import Sampler


def _group() -> Any:
    """The distributed package, if there is one and it can be used."""
    try:
        # By its full name: it lies above this layer and need not exist.
        package = importlib.import_module("chainrule" + ".distributed")
    except ImportError:
        package = None
    if package is None or not package.is_available():
        raise RuntimeError(
            "Requires distributed package to be available: pass num_replicas and rank, or "
            "initialise a process group"
        )
    return package


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th number, starting at `rank`, of one order that all processes share.

    Call `set_epoch` before every epoch, or each has the same order.

    >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        self.num_replicas = _group().get_world_size() if num_replicas is None else num_replicas
        self.rank = _group().get_rank() if rank is None else rank
        if self.num_replicas > 1 << 20:
            raise ValueError(f"Invalid num_replicas {num_replicas}: at most {1 << 20} are served")
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {self.num_replicas - 1}]"
            )
        self.dataset = dataset
        self.epoch = 0
        self.drop_last = drop_last
        self.shuffle = shuffle
        self.seed = seed
        rounding = math.floor if drop_last else math.ceil
        self.num_samples: int = rounding(len(dataset) / self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        order = list(range(len(self.dataset)))
        if self.shuffle:
            generator = torch.Generator()
            generator.manual_seed(self.seed + self.epoch)
            order = torch.randperm(len(self.dataset), generator=generator).tolist()
        while len(order) < self.total_size:  # too few for equal shares: begin again
            order += order[: self.total_size - len(order)]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of an epoch; the same in all processes."""
        self.epoch = epoch


explain_module(globals())
