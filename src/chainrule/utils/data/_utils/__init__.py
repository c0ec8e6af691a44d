"""The parts of the DataLoader, under PyTorch's names."""

from __future__ import annotations

from . import collate, fetch, worker
from .failure import ExceptionWrapper

MP_STATUS_CHECK_INTERVAL = worker.STATUS_CHECK_SECONDS

__all__ = ["MP_STATUS_CHECK_INTERVAL", "ExceptionWrapper", "collate", "fetch", "worker"]
