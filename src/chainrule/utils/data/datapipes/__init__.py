"""Data pipes: datasets put together from small stages."""

from __future__ import annotations

from . import iter, map  # noqa: A004 - PyTorch's names
from .datapipe import DataChunk, IterDataPipe, MapDataPipe, functional_datapipe

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe", "iter", "map"]
