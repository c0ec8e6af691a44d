"""Getting the samples of a batch out of a dataset."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import chainrule as torch

from ..dataset import Subset, TensorDataset
from .collate import default_collate


class MapFetcher:
    """Samples by number."""

    def __init__(self, dataset: Any, batched: bool, collate_fn: Callable[[Any], Any]) -> None:
        self.dataset = dataset
        self.batched = batched
        self.collate_fn = collate_fn
        self.many = callable(getattr(dataset, "__getitems__", None))
        self.rows = collate_fn is default_collate and _holds_rows(dataset)

    def fetch(self, index: Any) -> Any:
        """The batch of a list of numbers, or the sample of one number."""
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if self.rows:
            return _rows(self.dataset, index)
        if self.many:
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])


def _holds_rows(dataset: Any) -> bool:
    """Whether samples are rows of tensors: then a batch can be taken at once instead of by row."""
    while type(dataset) is Subset:
        dataset = dataset.dataset
    return type(dataset) is TensorDataset and type(dataset).__getitem__ is _ROW_ACCESS


_ROW_ACCESS = TensorDataset.__getitem__


def _rows(dataset: Any, numbers: Any) -> list[Any]:
    while type(dataset) is Subset:
        numbers = [dataset.indices[i] for i in numbers]
        dataset = dataset.dataset
    wanted = torch.as_tensor(numbers, dtype=torch.int64)
    return [tensor[wanted] for tensor in dataset.tensors]


class IterableFetcher:
    """Samples one after the other; StopIteration when there are none left."""

    def __init__(
        self, dataset: Any, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.dataset = dataset
        self.dataset_iter = iter(dataset)
        self.batched = batched
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self.ended = False

    def fetch(self, index: Any) -> Any:
        """The next samples: as many as the list of numbers has."""
        if self.ended:
            raise StopIteration
        if not self.batched:
            return self.collate_fn(next(self.dataset_iter))
        samples = list(itertools.islice(self.dataset_iter, len(index)))
        self.ended = len(samples) < len(index)
        if not samples or (self.drop_last and self.ended):
            raise StopIteration
        return self.collate_fn(samples)


def fetcher_for(
    dataset: Any, iterable: bool, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
) -> MapFetcher | IterableFetcher:
    """The fetcher for a kind of dataset."""
    if iterable:
        return IterableFetcher(dataset, batched, collate_fn, drop_last)
    return MapFetcher(dataset, batched, collate_fn)
