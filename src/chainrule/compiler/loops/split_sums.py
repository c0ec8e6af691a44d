"""Sums over the rows of a loop: in parts, so that threads may share the rows, and as doubles.

A loop that folds its rows (a norm's gradient) and sums its columns (that of the norm's weight) can
be cut neither way.  Its rows are divided into a fixed number of parts, each with sums of its own,
which a second loop adds: the bits of a result do not depend on the number of threads.

Sums of float32 numbers over many rows are kept as doubles, so that their errors do not add up.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..scalars.expressions import Nodes
from .costs import LEAST_LOOP_COST, axis_to_cut, cost
from .nest import Access, Kernel

_PARTS = (8, 12, 10, 9, 7, 6, 5, 4, 3, 2)  # the first that divides the rows
_FEWEST_ROWS = 8  # of a part


def in_parts(schedule: Any, call: Any) -> list[Any]:
    """The call, or calls that compute the same with sums by parts of the rows."""
    kernel = call.kernel
    parts = _parts(kernel)
    if not parts:
        return [call]
    lengths = [_extent(to, kernel.space) for _, _, to, _ in kernel.accumulates]
    accumulates, totals = [], []
    pointers = list(call.pointers)
    divided = _divided(kernel, parts)
    for (kind, node, to, along), whole, length in zip(
        divided.accumulates, kernel.accumulates, lengths, strict=True
    ):
        if whole[2].strides[0] == 0:
            buffer, offset = pointers[to.argument]
            partial = schedule.new_buffer("temp", parts * length, buffer.dtype)
            pointers[to.argument] = (partial, 0)
            to = Access(to.argument, (length, *to.strides[1:]))
            dtype = kernel.arguments[to.argument]
            totals.append(_total(kind, dtype, parts, length, partial, (buffer, offset)))
        accumulates.append((kind, node, to, along))
    divided = divided._replace(accumulates=tuple(accumulates))
    return [type(call)(divided, pointers, call.length), *(type(call)(*t) for t in totals)]


# Additions of float32 numbers one after the other: of vectors, which doubles make slower, and of
# the sums of rows, for which they cost nothing.
_FEW_ADDITIONS, _FEW_ROWS = 256, 8


def in_doubles(schedule: Any, call: Any) -> list[Any]:
    """The call with float32 sums over many rows kept as doubles, and calls that round these."""
    kernel = call.kernel
    arguments, pointers, rounding = list(kernel.arguments), list(call.pointers), []
    for kind, _, to, _ in kernel.accumulates:
        if (
            kind != "add"
            or arguments[to.argument] != "f32"
            or _additions(kernel, to) <= _FEW_ADDITIONS
        ):
            continue
        length = _extent(to, kernel.space)
        doubles = schedule.new_buffer("temp", length, np.dtype(np.float64))
        rounding.append(_rounding(length, doubles, pointers[to.argument]))
        arguments[to.argument], pointers[to.argument] = "f64", (doubles, 0)
    if not rounding:
        return [call]
    kernel = kernel._replace(arguments=tuple(arguments))
    return [type(call)(kernel, pointers, call.length), *(type(call)(*r) for r in rounding)]


def _additions(kernel: Kernel, to: Access) -> int:
    """How many numbers are added to an element in memory, one after the other."""
    return math.prod(n for n, s in zip(kernel.space[:-1], to.strides[:-1], strict=True) if not s)


def _rounding(length: int, doubles: Any, target: Any) -> Any:
    """(kernel, pointers, length) that writes doubles as float32 numbers."""
    nodes = Nodes()
    loaded = nodes.add("load", (), "f64", Access(0, (1,)))
    stores = ((nodes.convert(loaded, "f32"), Access(1, (1,))),)
    kernel = Kernel((length,), ("f64", "f32"), tuple(nodes.nodes), stores, ())
    return kernel, [(doubles, 0), target], length


def _parts(kernel: Kernel) -> int:
    """Into how many parts the rows shall go, for threads to share them; 0 to leave them."""
    if not _divisible(kernel) or cost(kernel) < LEAST_LOOP_COST or axis_to_cut(kernel) is not None:
        return 0
    rows = kernel.space[0]
    return next((p for p in _PARTS if rows % p == 0 and rows // p >= _FEWEST_ROWS), 0)


def _divisible(kernel: Kernel) -> bool:
    """Whether sums over the rows may be made by parts of them."""
    summed = [to for _, _, to, _ in kernel.accumulates if not to.strides[0]]
    simple = not kernel.scatters and not any(
        n.op == "take" or (n.op == "index" and n.value == 0) for n in kernel.nodes
    )
    alone = len({to.argument for to in summed}) == len(summed)
    return bool(summed) and simple and alone and len(kernel.space) > 1


def _extent(access: Access, space: tuple[int, ...]) -> int:
    """Elements from the first to the last that an access reaches."""
    return 1 + sum((n - 1) * s for n, s in zip(space, access.strides, strict=True))


def _divided(kernel: Kernel, parts: int) -> Kernel:
    """The kernel with its first axis as two."""
    rows = kernel.space[0] // parts

    def split(access: Access) -> Access:
        first, *rest = access.strides
        return Access(access.argument, (first * rows, first, *rest))

    def moved(node: Any) -> Any:
        if node.op == "load":
            return node._replace(value=split(node.value))
        return node._replace(value=node.value + 1) if node.op == "index" else node

    return kernel._replace(
        space=(parts, rows, *kernel.space[1:]),
        nodes=tuple(moved(n) for n in kernel.nodes),
        stores=tuple((n, split(to)) for n, to in kernel.stores),
        accumulates=tuple((k, n, split(to), a) for k, n, to, a in kernel.accumulates),
    )


def _total(kind: str, dtype: str, parts: int, length: int, partial: Any, target: Any) -> Any:
    """(kernel, pointers, length) of the sum over the parts."""
    nodes = Nodes()
    loaded = nodes.add("load", (), dtype, Access(0, (length, 1)))
    sums = ((kind, loaded, Access(1, (0, 1)), length == 1),)
    kernel = Kernel((parts, length), (dtype, dtype), tuple(nodes.nodes), (), sums)
    return kernel, [(partial, 0), target], length
