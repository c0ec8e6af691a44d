"""What programs ask about a profiler before they start or stop one."""

from __future__ import annotations

import enum

from .profiler import Recorder
from .state import STATE


class DeviceType(enum.IntEnum):
    """Where an event ran."""

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20


def kineto_available() -> bool:
    """Whether PyTorch's tracing library is there: no, traces are written without it."""
    return False


def _profiler_enabled() -> bool:
    return any(isinstance(watcher, Recorder) for watcher in STATE.watchers)


def _disable_profiler() -> None:
    """Profilers here end with their block; one that runs is an error, not forgotten."""
    if _profiler_enabled():
        raise RuntimeError("a profiler is running: leave its `with` block, or call its stop()")
