"""Python's multiprocessing, with tensors that processes share, and PyTorch's `spawn`.

A tensor that is put on a queue, sent through a pipe or passed to a process moves to shared memory:
sender and receiver then see the same values, and nothing is copied again.
"""

from __future__ import annotations

import multiprocessing as _python
import signal as _signal
import time as _time
from collections.abc import Callable
from multiprocessing import *  # noqa: F403 - the whole module under another name
from multiprocessing import connection as _connection
from multiprocessing import reduction as _reduction
from typing import Any

import numpy as _np

from ..autograd import source as _source
from ..autograd.value import make as _make
from ..ops import dtypes as _dtypes
from ..ops.layout import address as _address
from ..tensor import Parameter as _Parameter
from ..tensor import Tensor as _Tensor
from ..tensor import sharing as _sharing

# ---- tensors on their way ------------------------------------------------------------------------


def _reduced(t: Any) -> Any:
    """What is sent for a tensor: the shared block it lies on, and where in it."""
    if t._level is not None:
        return t.__reduce_ex__(5)
    if t.requires_grad and not t.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd "
            "does not support crossing process boundaries.\n"
            f"  a tensor of shape {list(t.shape)}, the result of {t.grad_fn.name()}, is sent at "
            f"{_source.here(2)}\n  Fix: send x.detach()."
        )
    array = t.share_memory_()._a
    block: Any = _sharing.block_of(array)
    memory = _np.ndarray((len(block),), _np.uint8, block)
    start = _address(array) - _address(memory) if array.size else 0
    place = (len(block), start, array.shape, array.strides)
    own = (type(t), t.dtype.name, t.requires_grad, dict(t.__dict__))
    return _rebuilt, (_reduction.DupFd(block.descriptor), place, own)


def _rebuilt(descriptor: Any, place: tuple[Any, ...], own: tuple[Any, ...]) -> Any:
    """The tensor on the sender's memory."""
    size, start, shape, strides = place
    kind, dtype_name, requires_grad, attributes = own
    block = _sharing.open_block(descriptor.detach(), size)
    memory = _np.ndarray((size,), _np.uint8, block)
    dtype = _dtypes.BY_NAME[dtype_name].np
    made = _make(_np.ndarray(shape, dtype, memory, start, strides))
    made.__class__ = kind
    made._rg = requires_grad
    made.__dict__.update(attributes)
    return made


for _kind in (_Tensor, _Parameter):
    _reduction.ForkingPickler.register(_kind, _reduced)

_strategy = ["file_descriptor"]


def get_all_sharing_strategies() -> set[str]:
    """The ways to share memory that can be named."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """The named way to share memory."""
    return _strategy[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Name a way to share memory; descriptors are sent whatever it is, and leave nothing behind."""
    if new_strategy not in get_all_sharing_strategies():
        raise ValueError(
            f"unknown sharing strategy {new_strategy!r}; there are "
            f"{sorted(get_all_sharing_strategies())}"
        )
    _strategy[0] = new_strategy


# ---- spawn ---------------------------------------------------------------------------------------


class ProcessException(Exception):
    """A process started by `spawn` failed."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = pid

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


class ProcessContext:
    """Processes started by `spawn`."""

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes = processes
        self._errors = errors

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
