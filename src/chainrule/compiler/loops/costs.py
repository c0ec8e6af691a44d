"""What a loop costs, and along which axis threads may share it."""

from __future__ import annotations

import math

from ..scalars.functions import expensive
from .nest import Access, Kernel

# A job costs a few microseconds: what takes less than about twenty is not cut.
LEAST_LOOP_COST = 400_000  # elements times operations
CUT = 64  # cuts along the inner axis fall between whole vectors
_DEAR = 8  # an exponential costs as much as so many additions


def accesses(kernel: Kernel) -> dict[int, Access] | None:
    """How each argument is addressed; None if one is addressed in two ways."""
    found: dict[int, Access] = {}
    used = [n.value for n in kernel.nodes if n.op == "load"]
    used += [n.value[0] for n in kernel.nodes if n.op == "take"]
    used += [to for _, to in kernel.stores]
    used += [to for _, _, to, _ in kernel.accumulates]
    for access in used:
        if found.setdefault(access.argument, access).strides != access.strides:
            return None
    return found


def cost(kernel: Kernel) -> int:
    """Elements times operations."""
    dear = sum(expensive(n.op) for n in kernel.nodes)
    return math.prod(kernel.space) * (len(kernel.nodes) + _DEAR * dear)


def axis_to_cut(kernel: Kernel) -> int | None:
    """The first long axis along which nothing is folded, counted or scattered; None if there is
    none."""
    if kernel.scatters or accesses(kernel) is None:
        return None
    counted = {n.value for n in kernel.nodes if n.op == "index"}
    folds = any(n.op == "fold" for n in kernel.nodes)
    inner = len(kernel.space) - 1
    for axis, size in enumerate(kernel.space):
        if size < 2 or axis in counted or (axis == inner and (folds or size < 2 * CUT)):
            continue
        if all(to.strides[axis] for _, _, to, _ in kernel.accumulates):
            return axis
    return None
