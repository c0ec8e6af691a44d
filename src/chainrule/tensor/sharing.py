"""Memory that processes share: `share_memory_`, and what queues of `multiprocessing` send.

A shared block is a file without a name, mapped into memory. Forked processes inherit the mapping,
others get the file's descriptor; the memory is freed when the last process drops it.
"""

from __future__ import annotations

import functools
import mmap
import operator
import os
import tempfile
import weakref
from typing import Any

import numpy as np

from ..autograd import refusal
from ..ops.layout import address, flat_owner, owner


class SharedMap(mmap.mmap):
    """The mapping of a shared block; `descriptor` opens it in another process."""

    descriptor: int


def open_block(descriptor: int, size: int) -> SharedMap:
    """Map a shared block; the descriptor is the mapping's from now on."""
    made = SharedMap(descriptor, size)
    made.descriptor = descriptor
    _closers[descriptor] = _Closer(made, _CLOSE)
    _closers[descriptor].close = functools.partial(os.close, descriptor)
    return made


class _Closer(weakref.ref[SharedMap]):
    """Closes a mapping's descriptor with it, by C code alone: in Python code Ctrl-C is lost."""

    close: functools.partial[None]


_CLOSE = operator.methodcaller("close")
_closers: dict[int, _Closer] = {}  # replaced when the system gives the number out again


def new_block(size: int) -> SharedMap:
    """A new shared block of zeros."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("chainrule")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        os.ftruncate(descriptor, size)
        return open_block(descriptor, size)
    except (OSError, ValueError) as problem:
        os.close(descriptor)
        raise refusal.runtime(f"unable to share {size} bytes of memory: {problem}") from None


def block_of(array: np.ndarray) -> SharedMap | None:
    """The shared block that an array lies on; None when its memory is this process's own."""
    base = owner(array).base
    return base if isinstance(base, SharedMap) else None


def share(t: Any) -> None:
    """Move a tensor's memory to a shared block, unless it lies on one."""
    if t._level is not None:
        if t.is_meta:
            return
        raise refusal.runtime("a tensor inside a transform cannot be shared")
    if block_of(t._a) is None:
        t._a = _copied(t._a)
        t._view = None


def _copied(array: np.ndarray) -> np.ndarray:
    """The array over a shared copy of its whole storage."""
    whole = flat_owner(array)
    if whole is None or not array.size:
        array = np.ascontiguousarray(array)
        whole = array
    block = new_block(max(whole.nbytes, 1))
    memory = np.ndarray((whole.nbytes,), np.uint8, block)
    memory[:] = whole.reshape(-1).view(np.uint8)
    start = address(array) - address(whole) if array.size else 0
    return np.ndarray(array.shape, array.dtype, memory, start, array.strides)
