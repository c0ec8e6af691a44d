"""Counters and questions of PyTorch's tracer."""

from __future__ import annotations

import contextlib
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from ..compiler.controls import is_compiling

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)  # nobody counts here
compilation_time_metrics: dict[str, Any] = {}


_warned: set[str] = set()


def warn_once(msg: str, stacklevel: int = 1) -> None:
    """Give a warning the first time it is asked for."""
    if msg not in _warned:
        _warned.add(msg)
        warnings.warn(msg, stacklevel=stacklevel + 1)


def is_compile_supported(device_type: Any) -> bool:
    """Whether functions on a device can be compiled: on the CPU."""
    return str(device_type).partition(":")[0] == "cpu"


def compile_times(repr: str = "str", aggregate: bool = False) -> Any:  # noqa: A002 - PyTorch's
    """No times are kept: an empty table."""
    return "" if repr == "str" else ([], [])


@contextlib.contextmanager
def disable_cache_limit() -> Iterator[None]:
    """A block without a limit of variants, of which there is none."""
    yield


__all__ = [
    "compilation_time_metrics", "compile_times", "counters", "is_compile_supported",
    "is_compiling", "warn_once",
]  # fmt: skip
