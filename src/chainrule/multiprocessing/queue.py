"""Python's queues between processes, which tensors pass as the memory they share."""

from __future__ import annotations

from multiprocessing.queues import Queue, SimpleQueue

from ..standins.finder import rest_of

__getattr__ = rest_of(__name__)
__all__ = ["Queue", "SimpleQueue"]
