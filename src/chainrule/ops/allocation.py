"""How the C library keeps freed memory, set once when the first large computation begins.

By default glibc gives large arrays back to the system when they are freed, and the next step of a
training loop asks for the same memory again: every page is then mapped and zeroed anew.  A GPT step
spent 9 of 70 ms there, a step of a small CNN 13 of 80.
"""

from __future__ import annotations

import os
import sys

# glibc's names for mallopt: memory above these sizes is mapped separately, or given back.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 32 << 20  # bytes of one array: the most that glibc accepts
_KEPT = 512 << 20  # bytes of free memory at the top of the heap


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
