"""Arrays that have a shape, a layout and an address, but no memory behind them.

The results of ops while nothing is computed. Each is a mapping of its own that nobody touches, so
it costs no memory, however large; views, sharing and whether a reshape copies are those of real
arrays. Their elements read as zeros.
"""

from __future__ import annotations

import math
import mmap
import sys
from typing import Any

import numpy as np

from ..ops.result_types import known_types
from ..ops.schema import Op

_SMALL = 1 << 14  # bytes up to which an ordinary array is cheaper than a mapping
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0  # no promise that memory will be there


def blank(shape: tuple[int, ...], dtype: Any, like: np.ndarray | None = None) -> np.ndarray:
    """An untouched array; with `like` its axes lie in the order of that array's."""
    dtype = np.dtype(dtype)
    if like is not None and like.shape == shape and not like.flags.c_contiguous:
        order = sorted(range(like.ndim), key=lambda k: -abs(like.strides[k]))
        back = [order.index(k) for k in range(like.ndim)]
        return blank(tuple(shape[k] for k in order), dtype).transpose(back)
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes <= _SMALL:
        return np.zeros(shape, dtype)
    if sys.platform == "win32":
        return np.empty(shape, dtype)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    return np.ndarray(shape, dtype, buffer=mmap.mmap(-1, nbytes, flags=flags))


class StandIn:
    """Says what ops return, by shape and type alone; counts those that had to run."""

    def __init__(self) -> None:
        self.ran: dict[str, int] = {}  # ops that ran on zeros, and how often

    def __call__(self, op: Op, payloads: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if op.view or op.name == "unsafe_view":
            return None  # arrangement only
        types = known_types(op, payloads, params)
        if types is None:
            self.ran[op.name] = self.ran.get(op.name, 0) + 1
            return None
        like = None
        if op.batch == "elementwise" or op.name == "attention":
            arrays = [p for p in payloads if isinstance(p, np.ndarray) and p.shape == types[0][0]]
            like = arrays[0] if arrays and op.name != "clone_contiguous" else None
        made = tuple(
            blank(shape, dtype, like if k == 0 else None) for k, (shape, dtype) in enumerate(types)
        )
        return made[0] if op.n_out == 1 else made
