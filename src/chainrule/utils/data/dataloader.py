"""The DataLoader: batches of a dataset, in PyTorch's order, in this process or by workers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from ...autograd import refusal
from ...autograd.accidents import explain_module, in_words
from ...autograd.source import warn_user
from ._utils.collate import default_collate, default_convert
from ._utils.worker import get_worker_info
from .dataset import IterableDataset
from .iterators import _BaseDataLoaderIter, _DatasetKind, _SingleProcessDataLoaderIter
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T = TypeVar("T")
_T_co = TypeVar("_T_co", covariant=True)
_collate_fn_t = Callable[[list[T]], Any]  # PyTorch's names, which libraries annotate with
_worker_init_fn_t = Callable[[int], None]


class _InfiniteConstantSampler(Sampler[Any]):
    """None, for ever: samples of an iterable dataset have no numbers."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[T]):
    """Batches of a dataset: sampled, fetched, collated, here or in worker processes.

    The order for a seed, the seeds of workers and all arguments are PyTorch's. Batches of workers
    come through shared memory; an error in a worker is raised here with its traceback.

    >>> import chainrule as torch
    >>> _ = torch.manual_seed(0)
    >>> [batch.tolist() for batch in DataLoader(range(7), batch_size=3, shuffle=True)]
    [[0, 4, 1], [5, 2, 6], [3]]
    """

    _iterator: Any = None
    __initialized = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Any = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if iterable else _DatasetKind.Map
        if iterable:
            _refuse_order(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        batch_size, drop_last = _checked_batches(
            batch_sampler, batch_size, shuffle, sampler, drop_last
        )
        if sampler is None:
            sampler = self._default_sampler(bool(shuffle), generator)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self.check_worker_number_rationality()

    def _default_sampler(self, shuffle: bool, generator: Any) -> Any:
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        if shuffle:
            return RandomSampler(self.dataset, generator=generator)
        return SequentialSampler(self.dataset)

    @property
    def multiprocessing_context(self) -> Any:
        """How workers are started: a context of `multiprocessing`, or None for its default."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        self.__multiprocessing_context = (
            None if context is None else _checked_context(context, self.num_workers)
        )

    def __setattr__(self, name: str, value: Any) -> None:
        fixed = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset",
                 "persistent_workers")  # fmt: skip
        if self.__initialized and name in fixed:
            raise refusal.value(
                f"{name} attribute should not be set after {type(self).__name__} is initialized",
                fix="make a new one.",
            )
        super().__setattr__(name, value)

    def __iter__(self) -> Any:
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        from .workers import _MultiProcessingDataLoaderIter

        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn when there are more workers than processors to run them."""
        if not self.num_workers:
            return
        allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
        usable = len(allowed) or os.cpu_count() or self.num_workers
        if self.num_workers > usable:
            warn_user(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our "
                f"suggested max number of worker in current system is {usable}, which is smaller "
                "than what this DataLoader is going to create. They will wait for each other; "
                "lower num_workers.",
            )


_MOST_WORKERS = 4096


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: Any, persistent: bool
) -> None:
    if num_workers > _MOST_WORKERS:
        raise ValueError(
            f"num_workers={in_words(num_workers)}: each is a process, and at most {_MOST_WORKERS} "
            "are started"
        )
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            f"multiprocessing. Got {num_workers}"
        )
    if timeout < 0:
        raise ValueError(f"timeout option should be non-negative, got {timeout}")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError(f"prefetch_factor option should be non-negative, got {prefetch_factor}")
    if persistent and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _refuse_order(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """An iterable dataset decides the order itself."""
    given = (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler))
    for name, value in given:
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={value}"
            )


def _checked_batches(
    batch_sampler: Any, batch_size: Any, shuffle: Any, sampler: Any, drop_last: bool
) -> tuple[int | None, bool]:
    """(batch_size, drop_last), when they and the samplers go together."""
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                "and drop_last"
            )
        return None, False
    if batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )
    return batch_size, drop_last


def _checked_context(context: Any, num_workers: int) -> Any:
    if num_workers <= 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading "
            f"(num_workers > 0), but got num_workers={num_workers}"
        )
    import multiprocessing
    from multiprocessing.context import BaseContext

    if isinstance(context, str):
        valid = multiprocessing.get_all_start_methods()
        if context not in valid:
            raise ValueError(
                "multiprocessing_context option should specify a valid start method in "
                f"{valid!r}, but got multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string "
            f"specifying the start method, but got multiprocessing_context={context}"
        )
    return context


def _sharding_worker_init_fn(
    worker_init_fn: Any, world_size: int, rank_id: int, worker_id: int
) -> None:
    """What a worker for a pipe begins with: its share of the pipe."""
    info = get_worker_info()
    if info is not None:
        import importlib

        graph_settings = importlib.import_module(".graph_settings", __package__)
        shares, own = world_size * info.num_workers, rank_id * info.num_workers + worker_id
        graph_settings.apply_sharding(info.dataset, shares, own)
    if worker_init_fn is not None:
        worker_init_fn(worker_id)


def __getattr__(name: str) -> Any:
    if name == "_MultiProcessingDataLoaderIter":  # its module needs multiprocessing
        from .workers import _MultiProcessingDataLoaderIter

        return _MultiProcessingDataLoaderIter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


explain_module(globals())
