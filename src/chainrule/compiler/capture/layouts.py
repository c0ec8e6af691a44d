"""The order of a result's axes in memory.

Plans compute in C order. Whether `reshape` of a result is a view or a copy, and whether `view` is
possible, follows from its strides: results get those that eager code gives them.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def order_of_axes(shape: Any, strides: Any, itemsize: int) -> tuple[int, ...] | None:
    """The axes from the outermost in memory, of dense memory that is not in C order."""
    if strides is None or 0 in shape:
        return None
    axes = sorted(range(len(shape)), key=lambda k: -strides[k] if shape[k] > 1 else 0)
    step = itemsize
    for k in reversed([k for k in axes if shape[k] > 1]):
        if strides[k] != step:
            return None  # a part of some memory, or one element in several places
        step *= shape[k]
    long = [k for k in axes if shape[k] > 1]
    return None if long == sorted(long) else tuple(axes)


def laid_out(array: Any, axes: tuple[int, ...]) -> Any:
    """A copy with its axes in this order in memory."""
    inverse = sorted(range(len(axes)), key=axes.__getitem__)
    return np.ascontiguousarray(array.transpose(axes)).transpose(inverse)
