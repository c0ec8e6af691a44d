"""How a result lies in memory.

Plans compute in C order. Whether `reshape` of a result is a view or a copy, whether `view` is
possible, and whether it may be written in place follow from its strides: results get those that
eager code gives them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def layout_of(
    shape: Any, strides: Any, itemsize: int
) -> tuple[Callable[[Any, Any], Any], Any] | None:
    """How to lay out an array so that it gets these strides: a function and its second argument;
    None where C order is right."""
    if strides is None or 0 in shape:
        return None
    long = [k for k in range(len(shape)) if shape[k] > 1]
    if any(strides[k] < 0 for k in long):
        return None
    order = sorted(long, key=lambda k: -strides[k])
    step = itemsize
    for k in reversed(order):
        if strides[k] != step:
            return with_strides, (tuple(strides), _extent(shape, strides) + itemsize)
        step *= shape[k]
    if order == long:
        plain = tuple(itemsize * math.prod(shape[k + 1 :]) for k in range(len(shape)))
        return None if tuple(strides) == plain else (told_strides, tuple(strides))
    return in_order, tuple(sorted(range(len(shape)), key=lambda k: -strides[k] * (shape[k] > 1)))


def told_strides(array: Any, strides: tuple[int, ...]) -> Any:
    """The same memory, with other steps along axes of one place."""
    return np.ndarray(array.shape, array.dtype, array, strides=strides)


def in_order(array: Any, axes: tuple[int, ...]) -> Any:
    """A copy with its axes in this order in memory, from the outermost."""
    inverse = sorted(range(len(axes)), key=axes.__getitem__)
    return np.ascontiguousarray(array.transpose(axes)).transpose(inverse)


def with_strides(array: Any, wanted: tuple[tuple[int, ...], int]) -> Any:
    """A copy that is a part of some memory, or shows one place of it several times."""
    strides, nbytes = wanted
    found = _ndarray(array.shape, array.dtype, _empty(nbytes, _BYTE), 0, strides)
    found[...] = array
    return found


def _extent(shape: Any, strides: Any) -> int:
    """Bytes from the first element to the last."""
    return sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


_ndarray, _empty, _BYTE = np.ndarray, np.empty, np.dtype(np.uint8)
