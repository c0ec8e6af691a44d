"""Where a value lies in memory: buffers, and strided views of them.

Every value that is not a mere rearrangement gets a buffer in C order, so the layout of every
rearrangement is known when the program is compiled: it is found by letting the op's NumPy forward
make a view of an untouched stand-in array and reading its strides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .op_table import lookup
from .program import Instr, Value


class Buffer:
    """A piece of memory of the plan.

    kind: "input" (the caller's array), "const", "number" (a weak scalar input), "output" (a new
    array for every call), "extern" (whatever array an extern step returned), "temp" (in the arena).
    """

    __slots__ = ("dtype", "index", "kind", "offset", "size")

    def __init__(self, kind: str, size: int, dtype: np.dtype, index: int = -1) -> None:
        self.kind = kind
        self.size = size
        self.dtype = dtype
        self.index = index  # position among the buffers of its kind
        self.offset = -1  # of a temp: byte offset in the arena

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


class View:
    """A strided window on a buffer; strides and offset count elements."""

    __slots__ = ("buffer", "offset", "shape", "strides")

    def __init__(
        self, buffer: Buffer, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0
    ) -> None:
        self.buffer = buffer
        self.shape = shape
        self.strides = strides
        self.offset = offset

    @property
    def contiguous(self) -> bool:
        """Whether this is the whole buffer in C order."""
        return self.offset == 0 and _same_layout(self.shape, self.strides)


def _same_layout(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    wanted = c_strides(shape)
    return all(n == 1 or s == w for n, s, w in zip(shape, strides, wanted, strict=True))


def c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Element strides of a C-ordered array."""
    strides: list[int] = []
    step = 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def rearrange(
    op: str,
    params: Mapping[str, Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int = 0,
) -> tuple[tuple[int, ...], tuple[int, ...], int] | None:
    """Shape, strides and offset of a move op's result, or None when it cannot be a view."""
    if any(s < 0 for s in strides):
        return None  # a stand-in with negative strides would need its own origin
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if n)
    memory = np.empty(max(extent, 1), np.int8)
    try:
        result = lookup(op).forward(as_strided(memory, shape, strides), **params)
    except ValueError:  # `view` of what passes before this one left in another layout
        return None
    start = result.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    shared = result.base is not None and 0 <= start < len(memory)
    if not shared and result.size:
        return None
    return result.shape, result.strides, offset + (start if shared else 0)


def dense_like(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a new array whose axes lie in memory in the order of those of another."""
    return np.empty_like(as_strided(np.empty(1, np.int8), shape, strides)).strides


def axis_map(instr: Instr) -> tuple[int | None, ...] | None:
    """For each axis of a move's result the axis of its input it runs along.

    None stands for an axis that repeats the same elements (or has length 1).  The whole answer is
    None when the move is not of this kind: a slice, a reversal, a merge of axes.
    """
    (source,) = instr.inputs
    (result,) = instr.outputs
    strides = c_strides(source.shape)
    found = rearrange(instr.op, instr.params, source.shape, strides)
    if found is None or found[2] != 0:
        return None
    by_stride = {s: i for i, s in enumerate(strides) if source.shape[i] > 1}
    axes: list[int | None] = []
    for size, stride in zip(result.shape, found[1], strict=True):
        if size == 1 or stride == 0:
            axes.append(None)
            continue
        axis = by_stride.get(stride)
        if axis is None or source.shape[axis] != size or axis in axes:
            return None
        axes.append(axis)
    kept = {a for a in axes if a is not None}
    if kept != set(by_stride.values()):
        return None
    return tuple(axes)


def new_view(value: Value, buffer: Buffer) -> View:
    """The view of a whole buffer as this value."""
    return View(buffer, value.shape, c_strides(value.shape))
