"""`torch.cuda.memory`: programs that ask how much memory they use are told, of the memory here.

There is no GPU, but the question is the same on a CPU: the bytes of all arrays that are alive, and
the most that were. They are counted where NumPy allocates, from the first large array on.

>>> import chainrule as torch
>>> torch.cuda.reset_peak_memory_stats()
>>> before = torch.cuda.memory_allocated()
>>> x = torch.ones(256, 1024)  # 1 MiB
>>> torch.cuda.memory_allocated() - before >= 2**20
True
>>> del x
>>> torch.cuda.max_memory_allocated() - before >= 2**20
True
"""

from __future__ import annotations

import os
from typing import Any

from ..ops import allocation
from ..standins import add_to as _add_stand_ins

_peak: allocation.Peak | None = None


def _counted() -> allocation.Peak:
    global _peak
    if _peak is None:
        allocation.count()
        _peak = allocation.Peak()
    return _peak


def memory_allocated(device: Any = None) -> int:
    """Bytes of arrays that are alive."""
    _counted()
    return allocation.live_bytes()


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were alive since the last `reset_peak_memory_stats`."""
    return _counted().bytes


def memory_reserved(device: Any = None) -> int:
    """The same as `memory_allocated`: nothing is reserved ahead of its use."""
    return memory_allocated(device)


def max_memory_reserved(device: Any = None) -> int:
    """The same as `max_memory_allocated`."""
    return max_memory_allocated(device)


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    """Begin a new maximum, at what is alive now."""
    _counted().reset()


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Forgets sums of all allocations, which are not kept."""


def memory_stats(device: Any = None) -> dict[str, int]:
    """The counts under PyTorch's keys, as far as they mean something on a CPU."""
    now, most = memory_allocated(), max_memory_allocated()
    return {
        f"{what}_bytes.{pool}.{when}": value
        for what in ("active", "allocated", "requested", "reserved")
        for pool in ("all", "large_pool")
        for when, value in (("current", now), ("peak", most))
    }


def empty_cache() -> None:
    """Frees cached GPU memory, of which there is none."""


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """(free, total) bytes of the machine's memory."""
    if "SC_AVPHYS_PAGES" not in getattr(os, "sysconf_names", ()):
        raise RuntimeError("mem_get_info: this system does not say how much memory is free")
    page = os.sysconf("SC_PAGE_SIZE")
    return os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """The counts as a table."""
    rows = [
        ("arrays alive now", memory_allocated()),
        ("most since the last reset", max_memory_allocated()),
    ]
    lines = [
        "memory of arrays on the CPU (there is no CUDA device)",
        *(f"  {name:<26} {allocation.in_units(value):>12}" for name, value in rows),
    ]
    if allocation.counts is None:
        lines.append("  not counted: machine code is switched off, or llvmlite is missing")
    elif not abbreviated:
        lines.append("  what keeps it alive: chainrule.memory.summary()")
    return "\n".join(lines)


_add_stand_ins(globals())
