"""Datasets: things with samples, found by number or produced one after the other."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import chainrule as torch

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...autograd.source import warn_user

T = TypeVar("T")


class Dataset(Generic[T]):
    """Samples by number: subclasses give `__getitem__` and `__len__`."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Samples one after the other: subclasses give `__iter__`.

    Each worker of a DataLoader iterates over its own copy: ask `get_worker_info` which part of the
    samples is this worker's, or every sample comes once per worker.
    """

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset[T]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Sample number i is entry i of every tensor.

    >>> import chainrule as torch
    >>> TensorDataset(torch.eye(2), torch.tensor([5, 6]))[1]
    (tensor([0., 1.]), tensor(6))
    """

    def __init__(self, *tensors: Any) -> None:
        sizes = [t.size(0) for t in tensors]
        if any(size != sizes[0] for size in sizes):
            raise refusal.assertion(f"Size mismatch between tensors: they have {sizes} entries")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Sample number i is sample i of every dataset, as a tuple or, with keywords, a dict."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets: Any = kwargs or args
        sizes = [len(d) for d in (*args, *kwargs.values())]
        if any(size != sizes[0] for size in sizes):
            raise ValueError(f"Size mismatch between datasets: they have {sizes} samples")
        self._length = sizes[0]

    def __getitem__(self, index: Any) -> Any:
        try:
            if isinstance(self.datasets, dict):
                return {name: dataset[index] for name, dataset in self.datasets.items()}
            return tuple(dataset[index] for dataset in self.datasets)
        except LookupError as problem:
            raise _no_sample(self, index, problem) from None

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        """Several samples at once."""
        if isinstance(self.datasets, dict):
            columns = [_samples(d, indices) for d in self.datasets.values()]
            rows = zip(*columns, strict=True)
            return [dict(zip(self.datasets, row, strict=True)) for row in rows]
        return list(zip(*(_samples(d, indices) for d in self.datasets), strict=True))

    def __len__(self) -> int:
        return self._length


def _no_sample(dataset: Any, index: Any, problem: LookupError) -> LookupError:
    """What to raise where a sample is not there; a dataset's own error stays as it is."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    if trace is not None or type(problem) not in (IndexError, KeyError):
        return problem
    shown = index if not isinstance(index, int) or abs(index) < 1 << 64 else "beyond 64 bits"
    return type(problem)(
        f"{type(dataset).__name__} with {len(dataset)} samples has no sample {shown!r}, or what it "
        f"holds has none there: {problem}"
    )


def _samples(dataset: Any, indices: list[Any]) -> list[Any]:
    """Several samples of a dataset, at once if it can."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    found = dataset.__getitems__(indices)
    if len(found) != len(indices):
        raise ValueError(
            f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(found)}"
        )
    return found


class ConcatDataset(Dataset[T]):
    """The samples of several datasets, one dataset after the other."""

    def __init__(self, datasets: Iterable[Dataset[T]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError(
                "ConcatDataset does not support IterableDataset: its samples have no numbers. "
                "Use ChainDataset"
            )
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Sequence[Any]) -> list[int]:
        """How many samples there are up to the end of each dataset."""
        return list(itertools.accumulate(map(len, sequence)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T:
        if index < 0:
            if -index > len(self):
                raise ValueError(
                    f"absolute value of index should not exceed dataset length: index {index} of "
                    f"{len(self)}"
                )
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        before = self.cumulative_sizes[which - 1] if which else 0
        try:
            return self.datasets[which][index - before]
        except LookupError as problem:
            raise _no_sample(self, index, problem) from None

    @property
    def cummulative_sizes(self) -> list[int]:
        """The old, misspelled name of `cumulative_sizes`."""
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """The samples of several iterable datasets, one dataset after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from _iterable(dataset)

    def __len__(self) -> int:
        return sum(len(_iterable(dataset)) for dataset in self.datasets)


def _iterable(dataset: Any) -> Any:
    if not isinstance(dataset, IterableDataset):
        raise AssertionError("ChainDataset only supports IterableDataset")
    return dataset


class Subset(Dataset[T]):
    """Some samples of a dataset, by their numbers."""

    def __init__(self, dataset: Dataset[T], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        try:
            if isinstance(index, list):
                return self.dataset[[self.indices[i] for i in index]]
            return self.dataset[self.indices[index]]
        except LookupError as problem:
            raise _no_sample(self, index, problem) from None

    def __getitems__(self, indices: list[int]) -> list[T]:
        """Several samples at once."""
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            # The subclass changes single samples only: that must hold for batches too.
            return [self[index] for index in indices]
        return _samples(self.dataset, [self.indices[index] for index in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T], lengths: Sequence[int | float], generator: Any = None
) -> list[Subset[T]]:
    """Non-overlapping random parts of the given lengths, or fractions that sum to 1.

    >>> import chainrule as torch
    >>> parts = random_split(range(10), [0.7, 0.3], torch.Generator().manual_seed(42))
    >>> [list(part) for part in parts]
    [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]]
    """
    total = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_of_fractions(lengths, total)
    if sum(lengths) != total:
        raise refusal.value(
            f"Sum of input lengths does not equal the length of the input dataset! {list(lengths)} "
            f"sum to {sum(lengths)}, the dataset has {total} samples"
        )
    order = torch.randperm(total, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [
        Subset(dataset, order[int(end - length) : int(end)])
        for length, end in zip(lengths, ends, strict=True)
    ]


def _lengths_of_fractions(fractions: Sequence[float], total: int) -> list[int]:
    """Whole numbers: each fraction rounded down, the rest given to the first ones in turn."""
    for number, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {number} is not between 0 and 1: {fraction}")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for extra in range(total - sum(lengths)):
        lengths[extra % len(lengths)] += 1
    for number, length in enumerate(lengths):
        if length == 0:
            warn_user(
                f"Length of split at index {number} is 0. This might result in an empty dataset.",
            )
    return lengths


explain_module(globals())
