"""Ctrl-C at a moment when nothing may be left half done."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_AFTERWARDS = 0.02  # seconds: enough to be out of a finaliser, too short to be noticed


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait until the block is over, and arrive then.

    The block may run in a finaliser (`__del__`, a weak reference's), where Python would report a
    KeyboardInterrupt as ignored and go on: the program could not be stopped. So the signal is sent
    again, a moment later.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    heard: list[int] = []

    def remember(number: int, _frame: Any) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            interrupt_afterwards()


def interrupt_afterwards() -> None:
    """Ctrl-C again, a moment later."""
    again = threading.Timer(_AFTERWARDS, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    _waiting[:] = [again]
    again.start()


_waiting: list[threading.Timer] = []  # the last Ctrl-C that was put off


def await_interrupt() -> None:
    """Let a Ctrl-C that was put off arrive now: what it did to workers is no news of its own."""
    for again in _waiting:
        again.join(10 * _AFTERWARDS)
    _waiting.clear()
