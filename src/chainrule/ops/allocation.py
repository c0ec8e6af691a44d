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


def keep_freed_memory() -> bool:
    """Reuse freed arrays of up to 32 MB; whether that was set.

    Not set outside of Linux, with CHAINRULE_KEEP_MEMORY=0, or where MALLOC_ variables of the
    environment say that somebody has chosen already.
    """
    chosen = any(name.startswith("MALLOC_") for name in os.environ)
    if sys.platform != "linux" or chosen or os.environ.get("CHAINRULE_KEEP_MEMORY") == "0":
        return False
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # musl
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _LARGEST_KEPT) and mallopt(_M_TRIM_THRESHOLD, _KEPT))
