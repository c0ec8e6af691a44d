"""The CPU: the device that computes."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """Whether it can be used: always."""
    return True


def device_count() -> int:
    """How many there are: it counts as one."""
    return 1


def current_device() -> str:
    """Its name."""
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Waits for outstanding work: there is none, results are there when a call returns."""


def is_initialized() -> bool:
    """Whether it is ready: always."""
    return True


def set_device(device: Any) -> None:
    """Choose a CPU: there is one."""


def _is_avx2_supported() -> bool:
    """Whether the CPU has AVX2."""
    return _capability() in ("AVX2", "AVX512")


def _is_avx512_supported() -> bool:
    """Whether the CPU has AVX-512."""
    return _capability() == "AVX512"


def _capability() -> str:
    from ..backends.cpu import get_cpu_capability

    return get_cpu_capability()


def _is_amx_tile_supported() -> bool:
    """Whether there are matrix units to use: kernels here use none, nor what is named below."""
    return False


_is_amx_fp16_supported = _is_avx512_bf16_supported = _is_vnni_supported = _is_amx_tile_supported


_STREAMS = ("Event", "Stream", "StreamContext", "current_stream", "get_capabilities", "stream")


def __getattr__(name: str) -> Any:
    import importlib

    if name == "amp":
        return importlib.import_module(".amp", __name__)
    if name in _STREAMS:
        return getattr(importlib.import_module(".streams", __name__), name)
    raise AttributeError(f"module 'chainrule.cpu' has no attribute {name!r}")
