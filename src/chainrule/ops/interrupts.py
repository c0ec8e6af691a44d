"""Ctrl-C at a moment when nothing may be left half done, or when Python would lose it."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

_AFTERWARDS = 0.02  # seconds: enough to be out of a finaliser, too short to be noticed
_put_off: list[Any] = []  # one entry while a Ctrl-C waits; who takes it out sends the signal


@contextmanager
def undisturbed(*, as_object_ends: bool = False) -> Generator[None, None, None]:
    """Let Ctrl-C wait until the block is over, and arrive at its end.

    Where the block runs because an object ends (`__del__`, a weak reference's callback), Python
    reports a KeyboardInterrupt as ignored and goes on. There the signal is sent a moment later.
    Only there: a program that starts and ends workers all the time is inside some block at most
    moments, and a signal that is always put off might never arrive.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    if not as_object_ends:
        let_interrupt_arrive()
    heard: list[int] = []

    def remember(number: int, _frame: Any) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard and as_object_ends:
            interrupt_afterwards()
        elif heard:
            signal.raise_signal(signal.SIGINT)


def load(name: str) -> None:
    """Import a module of compiled code, with Ctrl-C afterwards.

    Modules made by Cython (numpy.random, much of SciPy) call Python functions while they are
    imported, and go on whatever those raise: a KeyboardInterrupt there would vanish without a word.
    """
    if name not in sys.modules:
        with undisturbed():
            importlib.import_module(name)


def interrupt_afterwards() -> None:
    """Ctrl-C again, a moment later."""
    _put_off[:] = [True]
    again = threading.Timer(_AFTERWARDS, _send_to_self)
    again.daemon = True
    again.start()


def let_interrupt_arrive() -> None:
    """Let a Ctrl-C that was put off arrive now: it comes before what it did to workers."""
    if _put_off and threading.current_thread() is threading.main_thread():
        _send_to_self()


def _send_to_self() -> None:
    try:
        _put_off.pop()
    except IndexError:  # it has arrived
        return
    os.kill(os.getpid(), signal.SIGINT)


def keep_interrupts() -> None:
    """Have Ctrl-C arrive afterwards if it comes while an object ends, instead of being ignored.

    A signal is handled as soon as any Python function is entered, that of an object's end too
    (of a pipe, a process, a set of weak references), and before it could take precautions.
    """
    if getattr(sys.unraisablehook, "__func__", None) is not _Hook.__call__:
        sys.unraisablehook = _Hook(sys.unraisablehook).__call__


class _Hook:
    """Stands before what reports exceptions that nobody can catch."""

    def __init__(self, reports: Any) -> None:
        self.reports = reports

    def __call__(self, unraisable: Any) -> None:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and issubclass(unraisable.exc_type, KeyboardInterrupt):
            interrupt_afterwards()
        else:
            self.reports(unraisable)
