"""Python's pool of processes, whose tasks and results may be tensors."""

from __future__ import annotations

from multiprocessing.pool import Pool
from multiprocessing.queues import SimpleQueue

from ..standins.finder import rest_of

__getattr__ = rest_of(__name__)
__all__ = ["Pool", "SimpleQueue"]
