"""Queues of work of the CPU: calls return when their work is done, so there is nothing to queue."""

from __future__ import annotations

import contextlib
import time
from typing import Any


class Stream:
    """A queue that is always empty."""

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Stream) -> None:
        """Nothing is outstanding."""

    def record_event(self) -> None:
        """Nothing is outstanding."""

    def wait_event(self, event: Event) -> None:
        """Nothing is outstanding."""


class Event:
    """A moment: when `record` was called."""

    def __init__(self, enable_timing: bool = True) -> None:
        self._at: float | None = None

    def query(self) -> bool:
        """Whether what was recorded is done: yes."""
        return True

    def record(self, stream: Stream | None = None) -> None:
        """Note the time."""
        self._at = time.perf_counter()

    def synchronize(self) -> None:
        """Nothing is outstanding."""

    def wait(self, stream: Stream | None = None) -> None:
        """Nothing is outstanding."""

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between two recorded moments."""
        if self._at is None or end_event._at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._at - self._at) * 1000


class StreamContext(contextlib.AbstractContextManager):
    """A block that uses a stream."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self.before: list[Stream] = []

    def __enter__(self) -> None:
        global _current
        if self.stream is not None:
            self.before.append(_current)
            _current = self.stream

    def __exit__(self, *error: Any) -> None:
        global _current
        if self.before:
            _current = self.before.pop()


_current = Stream()


def stream(stream: Stream | None) -> StreamContext:
    """A block in which `current_stream` is this stream."""
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """The stream of the block."""
    return _current


def get_capabilities() -> dict[str, bool | str]:
    """The instruction sets of the processor, as far as the operating system tells them."""
    import platform

    found: dict[str, bool | str] = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = next((line for line in file if line.startswith(("flags", "Features"))), "")
        found = dict.fromkeys(flags.partition(":")[2].split(), True)
    return found | {"architecture": platform.machine()}
