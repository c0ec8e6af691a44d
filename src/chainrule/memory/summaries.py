"""`memory.summary()`: what the memory of this process is used for, right now."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

from ..autograd.node import Node
from ..autograd.value import TensorBase
from ..ops import allocation
from ..ops.allocation import in_units
from ..reading.terminal import Block, Report, Table
from ..utils.checkpoint_measure import memory_root
from .storages import held_arrays

_KINDS: tuple[str, ...] = (
    "parameters",
    "gradients",
    "kept for backward",
    "results with a graph",
    "other tensors",
)


class Summary(Report):
    """Bytes by use, each piece of memory once."""

    def __init__(self, bytes_by_use: dict[str, int], tensors: int, counted: int | None) -> None:
        self.by_use = bytes_by_use
        self.tensors = tensors  # how many there are
        self.counted = counted  # bytes of all arrays, by the allocator; None if nobody counts

    @property
    def total(self) -> int:
        """Bytes of all tensors and of what the tape keeps."""
        return sum(self.by_use.values())

    def blocks(self) -> list[Block]:
        rows = [(use, in_units(n)) for use, n in self.by_use.items()]
        rows.append(("together", in_units(self.total)))
        notes = []
        if self.counted is not None:
            rest = self.counted - self.total
            notes.append(
                f"the allocator counts {in_units(self.counted)} in arrays"
                + (f": {in_units(rest)} belong to no tensor" if rest > 0 else "")
            )
        return [Table(f"memory of {self.tensors} tensors", ("use", "bytes"), rows, notes)]


def summary() -> Summary:
    """What all tensors of this process are for: parameters, gradients, activations.

    >>> import chainrule as torch
    >>> from chainrule import memory
    >>> layer = torch.nn.Linear(1000, 1000, bias=False)
    >>> memory.summary().by_use["parameters"] >= 4_000_000
    True
    """
    tensors, nodes = [], []
    for thing in gc.get_objects():
        kind = type(thing)
        if issubclass(kind, TensorBase):
            tensors.append(thing)
        elif issubclass(kind, Node):
            nodes.append(thing)
    found: dict[int, tuple[int, str]] = {}

    def add(array: Any, use: str) -> None:
        if isinstance(array, np.ndarray):
            root = memory_root(array)
            found.setdefault(id(root), (root.nbytes, use))

    leaves = [t for t in tensors if t._rg and t._node is None]
    for t in leaves:
        add(t._a, "parameters")
    for t in tensors:
        grad = t._grad
        if isinstance(grad, TensorBase):
            add(grad._a, "gradients")
    for node in nodes:
        for _, array, _ in held_arrays(node):
            add(array, "kept for backward")
    for t in tensors:
        add(t._a, "results with a graph" if t._node is not None else "other tensors")
    sums: dict[str, int] = dict.fromkeys(_KINDS, 0)
    for nbytes, use in found.values():
        sums[use] += nbytes
    counted = allocation.live_bytes() if allocation.counts is not None else None
    return Summary(sums, len(tensors), counted)
