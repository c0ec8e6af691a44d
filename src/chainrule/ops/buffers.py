"""Buffers that are used again: memory from the system is slow when it is touched first.

A fresh page costs a visit to the kernel (0.2 to 2 µs for 4 KB), which for ops that keep a few
megabytes from the forward to the backward pass is as much as the arithmetic. `borrow` gives out an
array that it has given before if nobody refers to it any more, be it directly or by a view; the
reference count says so, nothing has to be returned. Only for memory that stays inside the ops:
results belong to the user.
"""

from __future__ import annotations

from sys import getrefcount

import numpy as np

from .locks import Lock

_SMALLEST = 1 << 15  # bytes; below, the allocator's own lists are as good
_LIMIT = 1 << 26  # bytes kept at most
_UNUSED = 2  # references to a buffer that nobody uses: the list's, and the question's own

_lock = Lock()
_kept: list[np.ndarray] = []


def borrow(count, dtype):
    """An array of `count` elements with any contents."""
    nbytes = count * dtype.itemsize
    if not _SMALLEST <= nbytes <= _LIMIT // 2:
        return np.empty(count, dtype)
    with _lock:
        for k in range(len(_kept)):
            if (
                getrefcount(_kept[k]) == _UNUSED
                and _kept[k].nbytes == nbytes
                and _kept[k].dtype == dtype
            ):
                found = _kept.pop(k)
                _kept.append(found)  # the ones not asked for drift to the front
                return found
        made = np.empty(count, dtype)
        _kept.append(made)
        _forget()
        return made


def borrow_like(x):
    """An array of x's shape and type with any contents."""
    return borrow(x.size, x.dtype).reshape(x.shape)


def _forget():
    """Let go of the buffers that were not asked for lately, down to the limit."""
    total = sum(buffer.nbytes for buffer in _kept)
    while total > _LIMIT:
        total -= _kept.pop(0).nbytes
