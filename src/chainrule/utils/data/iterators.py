"""Passes over a DataLoader's batches: what all have in common, and the one in this process."""

from __future__ import annotations

from typing import Any

from ...autograd.source import warn_user
from ...autograd.state import STATE
from ...autograd.watching import named
from ._utils.fetch import fetcher_for
from .sampler import drawn_seed


class _DatasetKind:
    """Whether samples are found by number or come one after the other."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: bool, collate_fn: Any, drop_last: bool
    ) -> Any:
        """What gets the samples of a batch out of a dataset."""
        return fetcher_for(
            dataset, kind == _DatasetKind.Iterable, auto_collation, collate_fn, drop_last
        )


class _BaseDataLoaderIter:
    """One pass over a DataLoader's batches."""

    def __init__(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._index_sampler = loader._index_sampler
        self._timeout = loader.timeout
        # Loaders of other libraries, which derive from this class, read these.
        self._shared_seed: int | None = None
        self._auto_collation = loader._auto_collation
        self._collate_fn = loader.collate_fn
        self._drop_last = loader.drop_last
        self._num_workers = loader.num_workers
        self._persistent_workers = loader.persistent_workers
        self._world_size, self._rank = 1, 0  # over which pipes would be split
        self._pin_memory, self._pin_memory_device = False, loader.pin_memory_device or None
        if loader.pin_memory:
            warn_user(
                "'pin_memory' argument is set as true but no accelerator is found, then device "
                "pinned memory won't be used.",
            )
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = drawn_seed(loader.generator)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        if STATE.watchers:
            with named(f"enumerate(DataLoader)#{type(self).__name__}.__next__"):
                data = self._next_data()
        else:
            data = self._next_data()
        self._num_yielded += 1
        promised = self._IterableDataset_len_called
        is_iterable = self._dataset_kind == _DatasetKind.Iterable
        if is_iterable and promised is not None and self._num_yielded > promised:
            warn_user(
                f"Length of IterableDataset {self._dataset} was reported to be {promised}(when "
                f"accessing len(dataloader)), but {self._num_yielded} samples have been fetched. "
                "With workers, each must produce its own share: see get_worker_info().",
            )
        return data

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled")


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches made in this process, when they are asked for."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.timeout:
            raise AssertionError(
                "_SingleProcessDataLoaderIter requires timeout == 0: without workers nothing is "
                f"waited for, got {loader.timeout}"
            )
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind,
            self._dataset,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
        )

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(self._next_index())
