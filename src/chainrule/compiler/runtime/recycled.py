"""Large results of a plan, used again when their holder has dropped them.

The C library gives arrays beyond 32 MB back to the system when they are freed, and for the next
result every page is mapped and cleared anew: ten million numbers took 14 ms, 7 of them for that.
So a plan keeps its large results; one that nobody else refers to is the memory of the next result.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

LEAST_BYTES = 32 << 20  # smaller ones are kept by the C library, see ops/allocation.py
MOST_BYTES = 256 << 20  # that one plan keeps


class Recycled:
    """Makes the result arrays of one plan."""

    def __init__(self, kinds: list[tuple[tuple[int, ...], np.dtype]]) -> None:
        self.kinds = kinds
        self._kept: dict[int, np.ndarray] = {}
        self._large: list[int] = []
        room = MOST_BYTES
        for i, (shape, dtype) in enumerate(kinds):
            nbytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
            if LEAST_BYTES <= nbytes <= room:
                self._large.append(i)
                room -= nbytes

    def arrays(self) -> list[Any]:
        """One array for every result, uninitialised."""
        if not self._large:
            return [np.empty(shape, dtype) for shape, dtype in self.kinds]
        return [
            self._again(i) if i in self._large else np.empty(shape, dtype)
            for i, (shape, dtype) in enumerate(self.kinds)
        ]

    def _again(self, number: int) -> np.ndarray:
        # Taken out, so that of two threads one gets it; held by this variable and the question.
        array = self._kept.pop(number, None)
        if array is None or sys.getrefcount(array) != 2:
            array = np.empty(*self.kinds[number])
        self._kept[number] = array
        return array
