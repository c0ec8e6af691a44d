"""Python's multiprocessing with PyTorch's `spawn`.

Tensors travel between processes by value: a queue copies them, and a change in one process is not
seen in the other.
"""

from __future__ import annotations

import multiprocessing as _python
from collections.abc import Callable
from multiprocessing import *  # noqa: F403 - the whole module under another name
from typing import Any


class ProcessRaisedException(Exception):
    """A process started by `spawn` ended with an exception."""


class ProcessExitedException(Exception):
    """A process started by `spawn` ended with a code other than 0."""


def get_all_sharing_strategies() -> set[str]:
    """The ways to share memory that can be named."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """The named way to share memory; values are copied whatever it is."""
    return _strategy[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Name a way to share memory; values are copied whatever it is."""
    if new_strategy not in get_all_sharing_strategies():
        raise ValueError(f"unknown sharing strategy {new_strategy!r}")
    _strategy[0] = new_strategy


_strategy = ["file_descriptor"]


def spawn(
    fn: Callable[..., None],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Any:
    """Run `fn(rank, *args)` in `nprocs` processes and wait for them."""
    context = _python.get_context(start_method)
    errors = context.SimpleQueue()
    processes = [
        context.Process(target=_guarded, args=(fn, rank, args, errors), daemon=daemon)
        for rank in range(nprocs)
    ]
    for process in processes:
        process.start()
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


class ProcessContext:
    """Processes started by `spawn`."""

    def __init__(self, processes: list[Any], errors: Any) -> None:
        self.processes = processes
        self._errors = errors

    def pids(self) -> list[int]:
        """The process numbers."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait for one process to end; True when all have. The first failure ends the others."""
        from multiprocessing import connection

        connection.wait([p.sentinel for p in self.processes if p.is_alive()], timeout)
        failed = [p for p in self.processes if p.exitcode not in (None, 0)]
        if failed:
            for process in self.processes:
                process.terminate()
                process.join()
            raise self._failure(failed[0])
        return all(process.exitcode == 0 for process in self.processes)

    def _failure(self, process: Any) -> Exception:
        rank = self.processes.index(process)
        if not self._errors.empty():
            where, text = self._errors.get()
            return ProcessRaisedException(
                f"\n\n-- Process {where} terminated with the following error:\n{text}"
            )
        return ProcessExitedException(
            f"process {rank} terminated with exit code {process.exitcode}"
        )


def _guarded(fn: Callable[..., None], rank: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        fn(rank, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        import sys
        import traceback

        errors.put((rank, traceback.format_exc()))
        sys.exit(1)
