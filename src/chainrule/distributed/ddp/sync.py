"""One state in all processes: checked and made so when a module is wrapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...autograd import source
from ...autograd.value import make
from .. import captured
from ..collectives import broadcast
from ..group import ProcessGroup
from ..objects import all_gather_object


def check_same_model(named: Sequence[tuple[str, Any]], group: ProcessGroup) -> None:
    """An error, on every process, if their parameters differ in number, shape or type."""
    mine = [(name, tuple(p.shape), str(p.dtype), p.requires_grad) for name, p in named]
    everybody: list[Any] = [None] * group.size()
    all_gather_object(everybody, mine, group)
    first = everybody[0]
    for rank, other in enumerate(everybody):
        if len(other) != len(first):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank 0 has {len(first)} params, "
                f"while rank {rank} has inconsistent {len(other)} params.\n  at {source.here(3)}"
            )
        for number, (a, b) in enumerate(zip(first, other, strict=True)):
            if a != b:
                raise RuntimeError(
                    f"params[{number}] in this process with sizes {list(b[1])} appears not to "
                    f"match sizes of the same param in process 0: {a[0]} is {list(a[1])} {a[2]} "
                    f"there, and {b[0]} is {list(b[1])} {b[2]} on rank {rank}\n"
                    f"  at {source.here(3)}\n  Fix: build the same model on every rank."
                )


def broadcast_all(tensors: Sequence[Any], group: ProcessGroup, src: int = 0) -> None:
    """Give every process the values of one, in one message per dtype."""
    found = captured.trace()
    if found is not None:
        captured.broadcast(found, tensors, group, src)
        return
    by_type: dict[Any, list[Any]] = {}
    for t in tensors:
        by_type.setdefault(t.dtype, []).append(t)
    for members in by_type.values():
        arrays = [t._a for t in members]
        flat = np.concatenate([a.reshape(-1) for a in arrays])
        broadcast(make(flat), group=group, group_src=src)
        if group.rank() == src:
            continue
        start = 0
        for t, array in zip(members, arrays, strict=True):
            array[...] = flat[start : start + array.size].reshape(array.shape)
            start += array.size
            if t._v is not None:
                t._v[0] += 1
