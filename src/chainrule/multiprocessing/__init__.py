"""Python's multiprocessing, with tensors that processes share, and PyTorch's `spawn`.

A tensor that is put on a queue, sent through a pipe or passed to a process moves to shared memory:
sender and receiver then see the same values, and nothing is copied again.
"""

from __future__ import annotations

from multiprocessing import *  # noqa: F403 - the whole module under another name
from multiprocessing import __all__

from ..autograd.packages import keep_functions as _keep_functions
from .reductions import init_reductions
from .spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

init_reductions()
_keep_functions(__name__)

_strategy = ["file_descriptor"]


def get_all_sharing_strategies() -> set[str]:
    """The ways to share memory that can be named."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """The named way to share memory."""
    return _strategy[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Name a way to share memory; descriptors are sent whatever it is, and leave nothing behind."""
    if new_strategy not in sorted(get_all_sharing_strategies()):  # which may be unhashable
        raise ValueError(
            f"unknown sharing strategy {new_strategy!r}; there are "
            f"{sorted(get_all_sharing_strategies())}"
        )
    _strategy[0] = new_strategy


__all__ = [
    *__all__,  # Python's
    "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException",
    "SpawnContext", "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy",
    "spawn", "start_processes",
]  # fmt: skip
