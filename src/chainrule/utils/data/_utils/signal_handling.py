"""Signals of workers: handled in `worker` and `interrupts`; PyTorch has functions for it here."""

from __future__ import annotations

from typing import Any


def _set_SIGCHLD_handler() -> None:
    """Nothing to do: a worker that ends is noticed by the pipes to it."""


def _set_worker_pids(loader_id: int, worker_pids: Any) -> None:
    """Nothing to do: nobody is told of workers by signals."""


def _remove_worker_pids(loader_id: int) -> None:
    """Nothing to do: nobody is told of workers by signals."""


def _set_worker_signal_handlers(*args: Any) -> None:
    """Nothing to do: workers handle their signals themselves."""
