"""Strides and memory of arrays: what a view may look like, and how to make one cheaply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided


def window(x: np.ndarray, shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """A view of x's elements with other strides (in bytes), from its first element on."""
    if x.flags.c_contiguous and x.dtype.isbuiltin == 1:
        return np.ndarray(shape, x.dtype, x, 0, strides)
    return reach(x, shape, strides)


def reach(
    x: np.ndarray, shape: Sequence[int], strides: Sequence[int], start: int = 0
) -> np.ndarray:
    """A view of the memory around x: it begins `start` bytes after x's first element."""
    if x.dtype.isbuiltin != 1:  # bfloat16: NumPy exports no buffer of a foreign type
        bits = (np.uint8, np.uint16, np.uint32)[x.dtype.itemsize >> 1]
        return reach(x.view(bits), shape, strides, start).view(x.dtype)
    memory = flat_owner(x)
    if memory is None or not memory.size:
        return _without_owner(x, shape, strides, start)
    # The plain constructor costs a tenth of as_strided and names the owner as the view's base.
    start += address(x) - address(memory)
    _check_inside(memory.nbytes, x.itemsize, shape, strides, start)
    return as_writeable_as(x, np.ndarray(shape, x.dtype, memory, start, strides))


def _check_inside(
    nbytes: int, width: int, shape: Sequence[int], strides: Sequence[int], start: int
) -> None:
    """Refuse views that leave their memory, in numbers that cannot overflow: NumPy's can."""
    low = high = start
    for n, step in zip(shape, strides, strict=True):
        if n == 0:
            return
        low, high = (low, high + (n - 1) * step) if step >= 0 else (low + (n - 1) * step, high)
    if low < 0 or high + width > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(strides)} and offset {start} (in "
            f"bytes) need bytes {low} to {high + width}: they are out of bounds for storage of "
            f"size {nbytes}"
        )


def as_writeable_as(x: np.ndarray, view: np.ndarray) -> np.ndarray:
    """A view of the memory behind x, read-only if x is: x's owner may allow what x forbids."""
    if not x.flags.writeable:
        view.flags.writeable = False
    return view


def _without_owner(
    x: np.ndarray, shape: Sequence[int], strides: Sequence[int], start: int
) -> np.ndarray:
    """A view from x's first element on, inside of what x shows."""
    if start or not (x.size or 0 in shape):
        raise ValueError("the memory behind this tensor has gaps or no bytes: nothing is around it")
    ahead = sum((n - 1) * max(s, 0) for n, s in zip(x.shape, x.strides, strict=True))
    _check_inside(x.itemsize + ahead, x.itemsize, shape, strides, 0)
    return as_strided(x, shape, strides)


def flat_owner(x: np.ndarray) -> np.ndarray | None:
    """The array that owns x's memory, in C order; None when it has gaps."""
    memory = owner(x)
    if not memory.flags.c_contiguous:
        memory = memory.transpose(memory_order(memory))
    return memory if memory.flags.c_contiguous else None


def viewed_strides(
    shape: Sequence[int], strides: Sequence[int], new: Sequence[int]
) -> tuple[int, ...] | None:
    """The strides with which memory laid out as (shape, strides) reads as `new`; None: it cannot.

    Neighbouring dimensions that step through memory evenly count as one block; every block must be
    a run of new dimensions.
    """
    if 0 in shape:
        return contiguous_strides(new, strides[-1] if strides else 1)
    blocks = _even_blocks(shape, strides)
    found: list[int] = []
    rest = list(reversed(new))
    at = 0
    for count, step in blocks:  # innermost first
        have = 1
        while at < len(rest) and (have < count or rest[at] == 1):
            found.append(step * have)
            have *= rest[at]
            at += 1
        if have != count:
            return None
    return tuple(reversed(found)) if at == len(rest) else None


def _even_blocks(shape: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    for n, s in zip(reversed(shape), reversed(strides), strict=True):
        if n == 1 and blocks:
            continue
        if blocks and s == blocks[-1][0] * blocks[-1][1]:
            blocks[-1] = (blocks[-1][0] * n, blocks[-1][1])
        elif blocks and blocks[-1][0] == 1:
            blocks[-1] = (n, s)
        else:
            blocks.append((n, s))
    return blocks or [(1, 1)]


def contiguous_strides(shape: Sequence[int], itemsize: int = 1) -> tuple[int, ...]:
    """Strides of memory in C order; empty dimensions count as 1, as in PyTorch."""
    strides: list[int] = []
    step = itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def memory_order(x: np.ndarray) -> tuple[int, ...]:
    """The dimensions from the slowest to the fastest in memory: the order PyTorch walks it in.

    Repeated dimensions (stride 0) say nothing and stay where they are among their neighbours.
    """
    return _walking_order(x.shape, (x.strides,))


def _walking_order(shape: Sequence[int], walks: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The dimensions from the slowest to the fastest of memory walked through with these strides.

    The first walk that tells two dimensions apart decides.
    """
    order: list[int] = []  # fastest first
    for d in reversed(range(len(shape))):
        order.append(d)
        at = len(order) - 1
        for k in range(at - 1, -1, -1):
            slower = _is_slower(shape, walks, order[k], order[at])
            if slower is False:
                break
            if slower:
                order[k], order[at] = order[at], order[k]
                at = k
    return tuple(reversed(order))


def _is_slower(shape: Sequence[int], walks: Sequence[Sequence[int]], a: int, b: int) -> bool | None:
    """Whether dimension a must come after b, fastest first; None when strides do not tell."""
    for strides in walks:
        step_a, step_b = abs(strides[a]), abs(strides[b])
        if step_a == 0 or step_b == 0:
            continue
        if step_a != step_b:
            return step_a > step_b
        if shape[a] > shape[b]:
            return True
    return None


def lying_as_operands(result: np.ndarray, *operands: Any) -> np.ndarray:
    """An element-wise result with its dimensions in memory in PyTorch's order.

    The first operand with an opinion decides; NumPy asks for all of them to agree, and leaves
    dimensions of overlapping windows as they are.
    """
    if result.ndim < 2 or not result.size:
        return result
    shape = result.shape
    arrays = [x for x in operands if x.__class__ is np.ndarray and x.ndim]
    for x in arrays:
        if x.flags.c_contiguous:
            continue
        if x.ndim != 2 or x.shape != shape or x.strides[0] < x.strides[1]:
            break
    else:  # all lie row by row, perhaps with gaps, as the result does
        if result.flags.c_contiguous:
            return result
    order = _walking_order(shape, [_broadcast_strides(x, shape) for x in arrays])
    step, in_place = result.itemsize, True
    for d in reversed(order):
        if shape[d] > 1:
            in_place = in_place and result.strides[d] == step
            step *= shape[d]
    if in_place:
        return result
    made = np.empty([shape[d] for d in order], result.dtype)
    made = made.transpose([order.index(d) for d in range(len(shape))])
    made[...] = result
    return made


def _broadcast_strides(x: np.ndarray, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides with which x is walked through as an operand of a result of this shape."""
    missing = len(shape) - x.ndim
    if not missing and x.shape == shape:
        return x.strides
    steps = zip(x.shape, x.strides, shape[missing:], strict=True)
    return (0,) * missing + tuple(0 if n == 1 and m != 1 else s for n, s, m in steps)


def dense_empty_like(x: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """Uninitialised memory without gaps whose dimensions are ordered as x's."""
    dtype = dtype or x.dtype
    if x.flags.c_contiguous:
        return np.empty(x.shape, dtype)
    order = memory_order(x)
    made = np.empty([x.shape[d] for d in order], dtype)
    return made.transpose([order.index(d) for d in range(x.ndim)])


def dense_copy(x: np.ndarray) -> np.ndarray:
    """A copy that keeps the order of dimensions in memory, as PyTorch's clone does."""
    if x.flags.c_contiguous:
        return x.copy()
    made = dense_empty_like(x)
    made[...] = x
    return made


def dense_cast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """x in another type, laid out as `dense_copy` does (NumPy lays repeated elements innermost)."""
    if 0 not in x.strides or x.flags.c_contiguous:
        return x.astype(dtype)
    made = dense_empty_like(x, dtype)
    made[...] = x
    return made


def in_order(x: np.ndarray) -> np.ndarray:
    """x in C order: NumPy's reductions and scans keep the input's, PyTorch's do not."""
    return x if x.flags.c_contiguous else np.ascontiguousarray(x)


_FASTEST_FIRST = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}


def has_channels_last(x: np.ndarray) -> bool:
    """Whether strides say that images (N, C, ...) lie with their channels innermost.

    Strides that would do for both orders count as C order, as in PyTorch.
    """
    strides = x.strides
    if x.ndim not in _FASTEST_FIRST or strides[1] > strides[-1] or not strides[1]:
        return False
    reach = 0
    for d in _FASTEST_FIRST[x.ndim]:
        if x.shape[d] == 0 or strides[d] < reach or (d == 0 and reach == strides[1]):
            return False
        reach = strides[d] * x.shape[d]
    return True


def as_channels_last(x: np.ndarray) -> np.ndarray:
    """x with its channels innermost in memory: a copy unless it lies so already."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)


def lying_as(result: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A layer's result with channels last in memory if its input has them last."""
    return as_channels_last(result) if has_channels_last(x) else result


def owner(x: np.ndarray) -> np.ndarray:
    """The array whose memory x is a window of."""
    while (base := x.base) is not None:
        if isinstance(base, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
            x = base
        elif base.__class__.__name__ == "DummyArray":  # what NumPy's as_strided puts in between
            x = base.base
        else:
            break
    return x


def extent(x: np.ndarray) -> int:
    """Bytes from the first to the last that x shows, gaps included, repeated elements once."""
    if not x.size:
        return 0
    return x.itemsize + sum((n - 1) * abs(s) for n, s in zip(x.shape, x.strides, strict=True))


def address(x: np.ndarray) -> int:
    """Where x's first element lies."""
    return x.__array_interface__["data"][0]


def is_dense(x: np.ndarray) -> bool:
    """Whether x's elements fill a block of memory, each place once."""
    if x.flags.c_contiguous or x.flags.f_contiguous:
        return True
    return x.transpose(memory_order(x)).flags.c_contiguous


def is_expanded(x: np.ndarray) -> bool:
    """Whether a dimension repeats the same elements."""
    return x.size > 1 and any(s == 0 and n > 1 for n, s in zip(x.shape, x.strides, strict=True))


def overlaps_itself(x: np.ndarray) -> bool:
    """Whether several elements share one place in memory: an expanded dimension, or windows."""
    if x.size <= 1 or x.flags.c_contiguous:
        return False
    if is_expanded(x):
        return True
    dims = sorted((abs(s), n) for n, s in zip(x.shape, x.strides, strict=True) if n > 1)
    reached = x.itemsize  # the bytes that the faster dimensions cover
    for step, n in dims:
        if step < reached:
            break
        reached += (n - 1) * step
    else:
        return False
    places = np.zeros(x.shape, np.int64)
    for d, (n, step) in enumerate(zip(x.shape, x.strides, strict=True)):
        along = np.arange(n, dtype=np.int64) * step
        places += along.reshape(-1, *(1,) * (x.ndim - d - 1))
    return np.unique(places).size < x.size
