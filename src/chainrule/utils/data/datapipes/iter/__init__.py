"""Stages of pipes that are iterated over, under PyTorch's names."""

from __future__ import annotations

from . import combinatorics, stages
from .combinatorics import SamplerIterDataPipe as Sampler
from .combinatorics import ShufflerIterDataPipe as Shuffler
from .stages import BatcherIterDataPipe as Batcher
from .stages import CollatorIterDataPipe as Collator
from .stages import ConcaterIterDataPipe as Concater
from .stages import FilterIterDataPipe as Filter
from .stages import IterableWrapperIterDataPipe as IterableWrapper
from .stages import MapperIterDataPipe as Mapper
from .stages import ShardingFilterIterDataPipe as ShardingFilter
from .stages import UnBatcherIterDataPipe as UnBatcher
from .stages import ZipperIterDataPipe as Zipper

__all__ = [
    "Batcher", "Collator", "Concater", "Filter", "IterableWrapper", "Mapper", "Sampler",
    "ShardingFilter", "Shuffler", "UnBatcher", "Zipper", "combinatorics", "stages",
]  # fmt: skip
