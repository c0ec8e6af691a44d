"""Functions run in several processes, each told its number."""

from __future__ import annotations

import importlib as _importlib
import importlib.util as _util
import inspect as _inspect
import multiprocessing as _python
import os as _os
import signal as _signal
import time as _time
from collections.abc import Callable
from multiprocessing import connection as _connection
from types import CodeType as _CodeType
from types import FunctionType as _FunctionType
from typing import Any

from ..autograd.accidents import explain_module


class ProcessException(Exception):
    """A process started by `spawn` failed."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = error_pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """A process started by `spawn` ended with an exception."""


class ProcessExitedException(ProcessException):
    """A process started by `spawn` ended with a code other than 0, or by a signal."""

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        parts = (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)
        return type(self), parts


def spawn(
    fn: Callable[..., None],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Any:
    """Run `fn(rank, *args)` in `nprocs` processes; the first failure ends all and is raised."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def start_processes(
    fn: Callable[..., None],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Any:
    """As `spawn`, with any way to start processes."""
    if nprocs > 1 and _makes_group(fn):
        # By its full name: it lies above this layer.
        ranks = _importlib.import_module("chainrule" + ".distributed.spawning")
        data = ranks.packed(fn, args)
        if data is not None:
            return ranks.spawn(data, nprocs, join)
    context: Any = _python.get_context(start_method)
    processes, errors = [], []
    for rank in range(nprocs):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_guarded, args=(fn, rank, args, theirs), daemon=daemon)
        process.start()
        theirs.close()
        processes.append(process)
        errors.append(ours)
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


def _makes_group(fn: Callable[..., None]) -> bool:
    """Whether a function will make a process group, which needs ranks of MPI: its code names it,
    or that of a function which it calls.

    Without mpi4py processes are started as ever, and making the group says what is missing.
    """
    if _util.find_spec("mpi4py") is None:
        return False
    return "MASTER_ADDR" in _os.environ or _names("init_process_group", fn)


def _names(wanted: str, fn: Any) -> bool:
    """Whether the code of a function names something, or that of functions which it names."""
    waiting, seen = [fn], set()
    while waiting:
        function = _inspect.unwrap(waiting.pop())
        function = getattr(function, "__func__", getattr(function, "func", function))
        if not isinstance(function, _FunctionType) or function in seen:
            continue
        seen.add(function)
        codes = [function.__code__]
        for code in codes:
            codes += [c for c in code.co_consts if isinstance(c, _CodeType)]
            if wanted in code.co_names or wanted in code.co_consts:
                return True
            waiting += [function.__globals__.get(name) for name in code.co_names]
    return False


class ProcessContext:
    """Processes started by `spawn`."""

    def __init__(self, processes: list[Any], error_files: list[Any]) -> None:
        self.processes = processes
        self._errors = error_files

    def pids(self) -> list[int]:
        """The process numbers."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait for a process to end; True when all have. The first failure ends the others."""
        running = [p.sentinel for p in self.processes if p.exitcode is None]
        if running:
            _connection.wait(running, timeout)
        failed = [p for p in self.processes if p.exitcode not in (None, 0)]
        if failed:
            self._stop(grace_period or 5.0)
            raise self._failure(failed[0])
        return all(process.exitcode == 0 for process in self.processes)

    def _stop(self, seconds: float) -> None:
        for process in self.processes:
            process.terminate()
        deadline = _time.monotonic() + seconds
        for process in self.processes:
            process.join(max(0.0, deadline - _time.monotonic()))
            if process.exitcode is None:
                process.kill()
                process.join()

    def _failure(self, process: Any) -> ProcessException:
        rank = self.processes.index(process)
        try:
            text = self._errors[rank].recv() if self._errors[rank].poll() else None
        except EOFError:
            text = None
        if text is not None:
            text = f"\n\n-- Process {rank} terminated with the following error:\n{text}"
            return ProcessRaisedException(text, rank, process.pid)
        code = process.exitcode
        name = _signal.Signals(-code).name if code < 0 else None
        way = f"exit code {code}" if name is None else f"signal {name}"
        return ProcessExitedException(
            f"process {rank} terminated with {way}", rank, process.pid, code, name
        )


def _guarded(fn: Callable[..., None], rank: int, args: tuple[Any, ...], errors: Any) -> None:
    """Run in the new process: an exception is sent as text."""
    try:
        fn(rank, *args)
    except KeyboardInterrupt:
        pass  # the parent gets it too, and raises it
    except Exception:
        import sys
        import traceback

        errors.send(traceback.format_exc())
        sys.exit(1)


SpawnContext = ProcessContext


explain_module(globals())
