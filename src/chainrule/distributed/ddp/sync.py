"""One state in all processes: checked and made so when a module is wrapped."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...autograd import refusal
from ...autograd.value import TensorBase, make
from .. import captured
from ..collectives import broadcast
from ..group import ProcessGroup, current
from ..objects import all_gather_object
from .parts import own


def check_same_model(named: Sequence[tuple[str, Any]], group: ProcessGroup) -> None:
    """An error, on every process, if their parameters differ in number, shape or type."""
    mine = [(name, tuple(p.shape), str(p.dtype), p.requires_grad) for name, p in named]
    everybody: list[Any] = [None] * group.size()
    all_gather_object(everybody, mine, group)
    first = everybody[0]
    for rank, other in enumerate(everybody):
        if len(other) != len(first):
            raise refusal.runtime(
                f"DDP expects same model across all ranks, but Rank 0 has {len(first)} params, "
                f"while rank {rank} has inconsistent {len(other)} params."
            )
        for number, (a, b) in enumerate(zip(first, other, strict=True)):
            if a != b:
                raise refusal.runtime(
                    f"params[{number}] in this process with sizes {list(b[1])} appears not to "
                    f"match sizes of the same param in process 0: {a[0]} is {list(a[1])} {a[2]} "
                    f"there, and {b[0]} is {list(b[1])} {b[2]} on rank {rank}",
                    fix="build the same model on every rank.",
                )


def check_same_state(*things: Any, group: Any = None) -> None:
    """An error, on every process, if modules, optimizers or dicts of tensors differ in any bit.

    Processes that train together stay equal; those that do not have drawn other random numbers,
    skipped a step, or changed something on one of them.

    >>> import chainrule as torch, chainrule.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = torch.nn.Linear(2, 2)
    >>> dist.check_same_state(model, torch.optim.Adam(model.parameters()))
    >>> dist.destroy_process_group()
    """
    from ..checkpoints import flat_state

    found = current(group)
    mine = {}
    for number, thing in enumerate(things):
        name = type(thing).__name__ if len(things) > 1 else ""
        state = flat_state(thing, f"{number}: {name}" if name else "")
        mine.update({path: _digest(value) for path, value in state.items()})
    everybody: list[Any] = [None] * found.size()
    all_gather_object(everybody, mine, found)
    first = everybody[0]
    for rank, other in enumerate(everybody):
        differing = [k for k in {**first, **other} if first.get(k) != other.get(k)]
        if differing:
            shown = ", ".join(differing[:5]) + (" ..." if len(differing) > 5 else "")
            raise refusal.runtime(
                f"the state of rank {found.ranks[rank]} is not that of rank {found.ranks[0]}: "
                f"{len(differing)} of {len(first)} values differ: {shown}",
                fix="the same seed, the same number of steps and the same changes on all ranks.",
            )


def _digest(value: Any) -> Any:
    """What two processes compare of a value: its bits, shortened."""
    if not isinstance(value, TensorBase):
        return repr(value)
    array = np.ascontiguousarray(own(value).detach()._a)
    if array.dtype.kind in "fcV" and (nothing := np.isnan(array)).any():
        array = np.where(nothing, array.dtype.type(np.nan), array)  # sums may sign it either way
    return str(value.dtype), array.shape, hashlib.sha256(array.tobytes()).digest()


def broadcast_all(tensors: Sequence[Any], group: ProcessGroup, src: int = 0) -> None:
    """Give every process the values of one, in one message per dtype."""
    found = captured.trace()
    if found is not None:
        captured.in_place(found, _BROADCAST, tensors, group=group, src=src)
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


_BROADCAST = captured.GroupStep("group.broadcast_all", captured.on_copies(broadcast_all))
