"""The MPI library, through mpi4py: loaded when a group of several processes is made."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from typing import Any

INSTALL = (
    "pip install 'chainrule[mpi]', which brings mpi4py and an MPI library, or mpi4py for the "
    "site's own MPI"
)
_SPINS = 40  # looks before the first sleep: a message within a machine takes microseconds
_LONGEST_SLEEP = 1e-3
_LOOK_AFTER = 0.25  # seconds without an answer after which the others are looked at


@functools.cache
def library() -> Any:
    """mpi4py's `MPI`, initialised for calls from any thread."""
    try:
        import mpi4py
    except ImportError:
        raise RuntimeError(
            "Distributed package doesn't have MPI built in: mpi4py is not installed.\n"
            f"  Fix: {INSTALL}."
        ) from None
    mpi4py.rc.thread_level = "multiple"
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as problem:
        raise RuntimeError(
            "Distributed package doesn't have MPI built in: mpi4py is installed and finds no MPI "
            f"library ({problem}).\n  Fix: {INSTALL}."
        ) from problem
    return MPI


def is_installed() -> bool:
    """Whether mpi4py is there; the library behind it is loaded only when it is used."""
    import importlib.util

    return importlib.util.find_spec("mpi4py") is not None


def several_threads() -> bool:
    """Whether the library may be called from a thread of ours beside the program's."""
    mpi = library()
    return mpi.Query_thread() == mpi.THREAD_MULTIPLE


def wait_politely(
    done: Callable[[], bool], seconds: float | None, when_slow: Callable[[], None]
) -> bool:
    """Ask until it is done, leaving the core to others between the questions.

    MPI libraries poll without pause, which stops the very process one waits for when there are
    more ranks than cores. False when `seconds` have passed.
    """
    for _ in range(_SPINS):
        if done():
            return True
        os.sched_yield()
    start = time.monotonic()
    looked, pause = start, 1e-5
    while not done():
        time.sleep(pause)
        pause = min(pause * 1.2, _LONGEST_SLEEP)
        now = time.monotonic()
        if seconds is not None and now - start > seconds:
            return False
        if now - looked > _LOOK_AFTER:
            looked = now
            when_slow()
    return True
