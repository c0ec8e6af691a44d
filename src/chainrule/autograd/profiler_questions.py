"""What programs ask about a profiler before they start or stop one."""

from __future__ import annotations

import enum

from .profiler import Recorder
from .state import STATE


class DeviceType(enum.IntEnum):
    """Where an event ran."""

    CPU = 0
    CUDA = 1
    XPU = 12
    MPS = 13


def kineto_available() -> bool:
    """Whether PyTorch's tracing library is there: no, traces are written without it."""
    return False


def _profiler_enabled() -> bool:
    return any(isinstance(watcher, Recorder) for watcher in STATE.watchers)


def _disable_profiler() -> None:
    """Profilers here end with their block; one that runs is an error, not forgotten."""
    if _profiler_enabled():
        raise RuntimeError("a profiler is running: leave its `with` block, or call its stop()")
