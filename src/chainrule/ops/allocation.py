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
from typing import Any

# glibc's names for mallopt: memory above these sizes is mapped separately, or given back.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 32 << 20  # bytes of one array: the most that glibc accepts
_KEPT = 512 << 20  # bytes of free memory at the top of the heap


_LARGE = 1 << 14  # bytes of an array
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
