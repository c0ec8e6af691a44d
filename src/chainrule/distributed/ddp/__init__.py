"""Training with one model in every process: gradients are averaged while backward goes on."""

from __future__ import annotations

from .buckets import GradBucket
from .wrapper import DistributedDataParallel

__all__ = ["DistributedDataParallel", "GradBucket"]
