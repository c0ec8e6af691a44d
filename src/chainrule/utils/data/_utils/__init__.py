"""The parts of the DataLoader, under PyTorch's names."""

from __future__ import annotations

import sys

from . import collate, fetch, pin_memory, signal_handling, worker
from .failure import ExceptionWrapper

MP_STATUS_CHECK_INTERVAL = worker.STATUS_CHECK_SECONDS

HAS_NUMPY = True
IS_WINDOWS = sys.platform == "win32"
python_exit_status = False  # whether Python ends: workers do not look at it here

__all__ = [
    "MP_STATUS_CHECK_INTERVAL", "ExceptionWrapper", "collate", "fetch", "pin_memory",
    "python_exit_status", "signal_handling", "worker",
]  # fmt: skip
