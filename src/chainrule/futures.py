"""`torch.futures`: results that come later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Future(Generic[T]):
    """A result that somebody sets and others wait for.

    >>> f = Future()
    >>> g = f.then(lambda done: done.value() + 1)
    >>> f.set_result(2)
    >>> g.wait()
    3
    """

    def __init__(self, *, devices: Any = None) -> None:
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._value: Any = None
        self._problem: BaseException | None = None
        self._callbacks: list[Callable[[Any], Any]] = []

    def done(self) -> bool:
        """Whether the result, or an error, is there."""
        return self._ready.is_set()

    def wait(self) -> Any:
        """The result, once it is there; raises the error if there is one."""
        self._ready.wait()
        return self.value()

    def value(self) -> Any:
        """The result, which must be there."""
        if not self.done():
            raise RuntimeError("the future has no value yet; call wait()")
        if self._problem is not None:
            raise self._problem
        return self._value

    def set_result(self, result: Any) -> None:
        """Set the result, once."""
        self._finish(result, None)

    def set_exception(self, result: Any) -> None:
        """Set an error, which `wait` raises."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, value: Any, problem: BaseException | None) -> None:
        with self._lock:
            if self.done():
                raise RuntimeError("Future is already marked as completed")
            self._value, self._problem = value, problem
            self._ready.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        """Call a function with this future once it is done; now, if it is."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Any], Any]) -> Future[Any]:
        """A future of what the function makes of this one."""
        made: Future[Any] = Future()

        def run(done: Any) -> None:
            try:
                made.set_result(callback(done))
            except Exception as problem:
                made.set_exception(problem)

        self.add_done_callback(run)
        return made


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future that is done when all are."""
    made: Future[Any] = Future()
    waiting = [len(futures)]
    if not futures:
        made.set_result([])

    def one(_: Any) -> None:
        waiting[0] -= 1
        if waiting[0] == 0:
            made.set_result(list(futures))

    for future in futures:
        future.add_done_callback(one)
    return made


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The results of all, in order.

    >>> a, b = Future(), Future()
    >>> a.set_result(1); b.set_result(2)
    >>> wait_all([a, b])
    [1, 2]
    """
    return [f.wait() for f in collect_all(futures).wait()]


__all__ = ["Future", "collect_all", "wait_all"]
