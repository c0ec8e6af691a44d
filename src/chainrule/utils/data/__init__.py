"""Datasets, samplers and the DataLoader.

>>> import chainrule as torch
>>> from chainrule.utils.data import DataLoader, TensorDataset
>>> data = TensorDataset(torch.arange(6.0), torch.arange(6) % 2)
>>> for x, y in DataLoader(data, batch_size=4):
...     print(x, y)
tensor([0., 1., 2., 3.]) tensor([0, 1, 0, 1])
tensor([4., 5.]) tensor([0, 1])
"""

from __future__ import annotations

from ...standins.finder import rest_of as _rest_of
from ._utils.collate import default_collate, default_convert
from ._utils.worker import get_worker_info
from .dataloader import DataLoader
from .datapipes.datapipe import DataChunk, IterDataPipe, MapDataPipe, functional_datapipe
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataChunk",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterDataPipe",
    "IterableDataset",
    "MapDataPipe",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "functional_datapipe",
    "get_worker_info",
    "random_split",
]

__getattr__ = _rest_of(__name__)
