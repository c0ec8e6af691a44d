"""Collectives that have been started: each is a chain of MPI requests, driven from several sides.

A collective is a generator that yields requests (anything with `Test()`): it goes on when the last
one is done. Whoever waits drives all that are under way, since one may have to wait for another;
a thread drives those that were started with `async_op`, so that they go on while the program
computes.
"""

from __future__ import annotations

import datetime
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from typing import Any

from ..autograd import source
from . import captured, mpi
from .errors import DistBackendError
from .notices import Look

Steps = Generator[Any, None, None]
_DRIVING = threading.RLock()
_UNDER_WAY: list[Work] = []
_BETWEEN_DRIVES = 2e-4


class Waiting:
    """What a rank spends on waiting for others, for `chainrule launch --watch`."""

    seconds = 0.0
    calls = 0
    steps = 0  # passes of DistributedDataParallel
    now_in = ""
    since = 0.0  # when the wait that is going on began


class Turn:
    """A place in a queue: parts of collectives begin in one order on all ranks.

    The next one's turn comes at the end of the block.
    """

    def __init__(self, queue: deque[Turn]) -> None:
        self._queue = queue
        queue.append(self)

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *problem: object) -> None:
        self._queue.remove(self)

    def Test(self) -> bool:
        """Whether it is this one's turn."""
        return self._queue[0] is self


class Work:
    """A collective that has been started.

    >>> Work().wait()
    True
    """

    def __init__(
        self, steps: Steps | None = None, name: str = "", group: Any = None, result: Any = None
    ) -> None:
        self._steps = steps
        self._request: Any = None
        self._problem: BaseException | None = None
        self._name, self._group, self._result = name, group, result
        self._when_done: list[Callable[[], None]] = []
        self._future: Any = None
        self.senders: list[int] = []  # who sent the message, by their numbers in the group
        if steps is not None:
            if group is None or group.size() > 1:
                captured.refuse(name)
            with _DRIVING:
                _UNDER_WAY.append(self)
                self._drive()

    def _drive(self) -> None:
        """Go on as far as it goes without waiting."""
        while self._steps is not None:
            try:
                if self._request is not None and not self._is_answered():
                    return
                self._request = next(self._steps)
            except StopIteration:
                self._finish(None)
            except BaseException as problem:  # raised where it is waited for
                self._finish(problem)

    def _is_answered(self) -> bool:
        """Whether the request is done; its errors are the steps', who know what they mean."""
        try:
            return self._request.Test()
        except Exception as problem:
            assert self._steps is not None
            self._request = self._steps.throw(problem)
            return False

    def _finish(self, problem: BaseException | None) -> None:
        self._problem, self._steps, self._request = problem, None, None
        _UNDER_WAY.remove(self)
        callbacks, self._when_done = self._when_done, []
        for callback in callbacks:
            callback()

    def is_completed(self) -> bool:
        """Whether it is done."""
        drive_all()
        return self._steps is None

    def is_success(self) -> bool:
        """Whether it is done and went well."""
        return self.is_completed() and self._problem is None

    def exception(self) -> BaseException | None:
        """What went wrong, if something did."""
        return self._problem

    def wait(self, timeout: Any = None) -> bool:
        """Wait until it is done; raises what went wrong."""
        if self._steps is not None:
            self._wait(seconds_of(timeout))
        if self._problem is not None:
            raise self._problem
        return True

    def _wait(self, seconds: float | None) -> None:
        if seconds is None and self._group is not None:
            seconds = self._group.timeout.total_seconds()
        began = time.perf_counter()
        Waiting.since = began
        Waiting.now_in, before = self._name, Waiting.now_in
        look = Look(self._name, self._group)
        try:
            if not mpi.wait_politely(self._is_done, seconds, look):
                raise DistBackendError(self._late(seconds))
        finally:
            Waiting.now_in = before
            Waiting.calls += 1
            Waiting.seconds += time.perf_counter() - began

    def _late(self, seconds: float | None) -> str:
        group = self._group
        return (
            f"Timed out waiting {round(1000 * (seconds or 0))}ms for {self._name} operation to "
            f"complete\n  rank {group.rank()} of {group.size()} waits at {source.here()}\n"
            "  Another rank did not call it in that time, or called something else.\n"
            "  Fix: TORCH_DISTRIBUTED_DEBUG=DETAIL names the rank and its line."
        )

    def _is_done(self) -> bool:
        drive_all()
        return self._steps is None

    def synchronize(self) -> None:
        """Wait until it is done."""
        self.wait()

    def result(self) -> Any:
        """The tensors it wrote."""
        self.wait()
        return self._result

    def get_future(self) -> Any:
        """The same as a future whose value is the list of tensors it wrote."""
        with _DRIVING:
            if self._future is None:
                self._future = future_of(self)
        return self._future

    def _source_rank(self) -> int:
        """The rank a message came from."""
        return self._group.ranks[self.senders[0]] if self.senders else -1


def future_of(work: Work) -> Any:
    """A future that drives the work while it is waited for."""
    from ..futures import Future

    class WorkFuture(Future[Any]):
        """The result of a collective."""

        def wait(self) -> Any:
            """Wait for the collective, then its result."""
            work.wait()
            return super().wait()

        def done(self) -> bool:
            """Whether the collective is done."""
            return self._done or (drive_all() or self._done)

        def then(self, callback: Callable[[Any], Any]) -> Any:
            """What the callback makes of it; waiting for that drives the collective too."""
            following = super().then(callback)
            return _driven(following, work)

    made = WorkFuture()

    def tell() -> None:
        if work._problem is not None:
            made.set_exception(work._problem)
        else:
            made.set_result(work._result)

    if work._steps is None:
        tell()
    else:
        work._when_done.append(tell)
    return made


def _driven(following: Any, work: Work) -> Any:
    """A future of what follows a collective, with a `wait` that drives it."""
    plain_wait, plain_then = following.wait, following.then

    def wait() -> Any:
        if work._steps is not None:
            work._wait(None)
        return plain_wait()

    following.wait = wait
    following.then = lambda callback: _driven(plain_then(callback), work)
    return following


def drive_all() -> None:
    """Let everything that is under way go on as far as it goes."""
    with _DRIVING:
        for work in tuple(_UNDER_WAY):
            work._drive()


def seconds_of(timeout: Any) -> float | None:
    """A duration given as timedelta or seconds; None: the group's."""
    if timeout is None:
        return None
    if isinstance(timeout, datetime.timedelta):
        seconds = timeout.total_seconds()
        return seconds if seconds > 0 else None
    return float(timeout)


# ---- progress beside the program -----------------------------------------------------------------


class _Progress:
    """The thread that drives collectives while the program computes."""

    thread: threading.Thread | None = None
    wanted = threading.Event()
    process = 0


def in_background(work: Work) -> Work:
    """Have a work driven while the program does something else."""
    import os

    if work._steps is None or not mpi.several_threads():
        return work
    if _Progress.thread is None or _Progress.process != os.getpid():
        _Progress.process = os.getpid()
        _Progress.thread = threading.Thread(target=_keep_going, name="collectives", daemon=True)
        _Progress.thread.start()
    _Progress.wanted.set()
    return work


def _keep_going() -> None:
    while True:
        _Progress.wanted.wait()
        if not _UNDER_WAY:
            _Progress.wanted.clear()
            if not _UNDER_WAY:
                continue
        if _DRIVING.acquire(blocking=False):  # else somebody drives
            try:
                drive_all()
            finally:
                _DRIVING.release()
        time.sleep(_BETWEEN_DRIVES)


def stop_progress() -> None:
    """Let nothing call MPI any more: it is about to end."""
    with _DRIVING:
        _UNDER_WAY.clear()
