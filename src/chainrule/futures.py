"""Results that are there later: `Future`, `collect_all`, `wait_all`.

Whoever computes sets the result, from any thread; whoever needs it waits.

>>> import chainrule as torch
>>> doubled = (later := torch.futures.Future()).then(lambda f: f.value() * 2)
>>> later.set_result(21)
>>> doubled.wait()
42
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .autograd.accidents import explain_module

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """A result that will be set once: a value, or an exception to be raised."""

    def __init__(self, *, devices: Any = None) -> None:
        self._changed = threading.Condition()
        self._done = False
        self._result: Any = None
        self._problem: BaseException | None = None
        self._callbacks: list[Callable[[Any], None]] = []

    def done(self) -> bool:
        """Whether the result is there."""
        return self._done

    def wait(self) -> T:
        """The result, as soon as it is there; raises what was set as an exception."""
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def value(self) -> T:
        """The result, which must be there."""
        if not self._done:
            raise RuntimeError("Future is not complete. Fix: wait(), or call it in then().")
        if self._problem is not None:
            raise self._problem
        return self._result

    def set_result(self, result: T) -> None:
        """Make the result available and call what waits for it; once only."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Let whoever waits get an exception."""
        if not isinstance(result, BaseException):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, result: Any, problem: BaseException | None) -> None:
        with self._changed:
            if self._done:
                raise RuntimeError(
                    "Future can only be marked completed once; it has a result already."
                )
            self._result, self._problem, self._done = result, problem, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            callback(self)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """The future of what the callback makes of this one, once it is done."""
        following: Future[Any] = Future()

        def run(done: Any) -> None:
            try:
                found = callback(done)
            except Exception as problem:
                following.set_exception(problem)
            else:
                following.set_result(found)

        self._when_done(run)
        return following

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call a function when the result is there; what it raises is printed, and no more."""

        def run(done: Any) -> None:
            try:
                callback(done)
            except Exception:
                import traceback

                traceback.print_exc()

        self._when_done(run)

    def _when_done(self, run: Callable[[Any], None]) -> None:
        with self._changed:
            if not self._done:
                self._callbacks.append(run)
                return
        run(self)


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """The future of them all: done when each is; an exception of one becomes its own."""
    together: Future[list[Future[Any]]] = Future()
    waiting = [len(futures)]
    lock = threading.Lock()

    def one_done(done: Future[Any]) -> None:
        with lock:
            waiting[0] -= 1
            if waiting[0]:
                return
        problems = [f._problem for f in futures if f._problem is not None]
        if problems:
            together.set_exception(problems[0])
        else:
            together.set_result(futures)

    if not futures:
        together.set_result(futures)
    for each in futures:
        each._when_done(one_done)
    return together


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The results of all, in order; raises if one has an exception."""
    return [future.wait() for future in collect_all(futures).wait()]


__all__ = ["Future", "collect_all", "wait_all"]


explain_module(globals())
