"""How memory of arrays is provided, set once when the first large array or computation is wanted.

By default glibc gives large arrays back to the system when they are freed, and the next step of a
training loop asks for the same memory again: every page is then mapped and zeroed anew.  A GPT step
spent 9 of 70 ms there, a step of a small CNN 13 of 80.

Where arrays begin is up to NumPy; whoever can make machine code may provide better places.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from typing import Any, ClassVar

from .weak import WeakTable

# glibc's names for mallopt: memory above these sizes is mapped separately, or given back.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 32 << 20  # bytes of one array: the most that glibc accepts
_KEPT = 512 << 20  # bytes of free memory at the top of the heap


_LARGE = 1 << 14  # bytes of an array
counts: Any = None  # `live` and `peak` bytes of arrays, once somebody counts them
_unsettled = True  # whether `settle` has something to do
_place_arrays: Callable[[], Any] | None = None


def provide(place_arrays: Callable[[], Any]) -> None:
    """Give the function that lets arrays begin at good places."""
    global _place_arrays
    _place_arrays = place_arrays


def expect(shape: tuple[int, ...], itemsize: int) -> None:
    """Say that an array is about to be made."""
    if _unsettled and math.prod(shape) * itemsize >= _LARGE:
        settle()


def settle() -> None:
    """Set how memory is provided from now on, the first time that this is called."""
    global _unsettled
    if not _unsettled:
        return
    _unsettled = False
    keep_freed_memory()
    machine_code = os.environ.get("CHAINRULE_KERNELS") != "0"
    if (
        _place_arrays is not None
        and machine_code
        and os.environ.get("CHAINRULE_KEEP_MEMORY") != "0"
    ):
        _place_arrays()


def _ours() -> bool:
    """Whether how memory is kept is left to us."""
    chosen = any(name.startswith("MALLOC_") for name in os.environ)
    kept = os.environ.get("CHAINRULE_KEEP_MEMORY") != "0"
    return sys.platform == "linux" and not chosen and kept


def keep_freed_memory() -> bool:
    """Reuse freed arrays of up to 32 MB; whether that was set.

    Not set outside of Linux, with CHAINRULE_KEEP_MEMORY=0, or where MALLOC_ variables of the
    environment say that somebody has chosen already.
    """
    if not _ours():
        return False
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # musl
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _LARGEST_KEPT) and mallopt(_M_TRIM_THRESHOLD, _KEPT))


def give_back_freed_memory() -> None:
    """Return to the system what is free: before memory of another shape takes its place.

    Not where `keep_freed_memory` would leave the C library alone.
    """
    if _ours():
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


# ---- counting ------------------------------------------------------------------------------------


class Peak:
    """The most bytes of arrays that were alive since it was made or reset.

    Several may be in use: the allocator has one maximum, which they share out among them.
    """

    _all: ClassVar[WeakTable] = WeakTable()

    def __init__(self) -> None:
        self._most = 0
        self.reset()
        Peak._all[self] = True

    def reset(self) -> None:
        """Begin anew with what is alive now."""
        share_out()
        self._most = live_bytes()

    @property
    def bytes(self) -> int:
        """The most bytes so far."""
        share_out()
        return self._most


def share_out() -> int:
    """Tell every Peak of the maximum since the last call; returns it and starts a new one."""
    if counts is None:
        return 0
    most = counts.peak
    for one in list(Peak._all):  # pyright: ignore[reportPrivateUsage]
        one._most = max(one._most, most)
    counts.peak = counts.live
    return most


def count() -> bool:
    """Count the memory of arrays made from now on in this context; whether that is possible."""
    settle()
    return counts is not None and _place_arrays is not None and bool(_place_arrays())


def live_bytes() -> int:
    """Bytes of arrays that are alive, of those that were counted."""
    return 0 if counts is None else counts.live


def in_units(count: float) -> str:
    """Bytes for people: 1536 is '1.5 KiB'."""
    for unit in ("B", "KiB", "MiB"):
        if abs(count) < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.2f} GiB"
