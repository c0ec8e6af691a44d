"""Parts of parameters: which rows of a whole tensor a process has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.value import make
from .collectives import all_gather_into_tensor, all_reduce
from .reduction import ReduceOp


@dataclass(frozen=True)
class Part:
    """Rows of a whole: cut as `torch.chunk` cuts, the last parts may be shorter or empty."""

    shape: tuple[int, ...]  # of the whole
    group: Any

    @property
    def chunk(self) -> int:
        """Rows of a full part."""
        return -(-self.shape[0] // self.group.size())

    def rows(self, rank: int) -> tuple[int, int]:
        """The first row of a rank's part, and the one after its last."""
        length = self.shape[0]
        return min(rank * self.chunk, length), min((rank + 1) * self.chunk, length)

    @property
    def mine(self) -> tuple[int, int]:
        """This process's rows."""
        return self.rows(self.group.rank())

    @property
    def padded(self) -> int:
        """Elements of a full part: what every rank sends."""
        return self.chunk * int(np.prod(self.shape[1:], dtype=np.int64))


def part_of(tensor: Any) -> Part | None:
    """Which part a tensor is; None for a whole one."""
    return getattr(tensor, "_part", None)


def whole(tensor: Any) -> Any:
    """All rows of a tensor of which each process has a part."""
    part = part_of(tensor)
    if part is None:
        return tensor.detach()
    padded = np.zeros(part.padded, tensor.dtype.np)
    values = tensor._a.reshape(-1)
    padded[: values.size] = values
    out = np.empty(part.padded * part.group.size(), tensor.dtype.np)
    all_gather_into_tensor(make(out), make(padded), part.group)
    return make(out.reshape(-1, *part.shape[1:])[: part.shape[0]].copy())


def norm_of_all(parameters: Any, norm_type: float) -> Any:
    """The norm of gradients of which each process has parts; whole ones count once."""
    grads = [(p._grad, part_of(p)) for p in parameters if p._grad is not None]
    if norm_type == float("inf"):
        values = make(np.array([max((abs(g._a).max(initial=0) for g, _ in grads), default=0.0)]))
        all_reduce(values, ReduceOp.MAX)
        return values[0]
    sums = np.zeros(2, np.float64)  # of parts, and of whole ones
    for g, part in grads:
        sums[int(part is None)] += (np.abs(g._a.astype(np.float64)) ** norm_type).sum()
    parts = make(sums[:1].copy())
    group = next(part.group for _, part in grads if part is not None)
    all_reduce(parts, group=group)
    total = (parts._a[0] + sums[1]) ** (1.0 / norm_type)
    return make(np.asarray(total, grads[0][0].dtype.np))
