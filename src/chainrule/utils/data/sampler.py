"""Samplers: the order in which a DataLoader asks for samples, the same as PyTorch's for a seed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import chainrule as torch

from ...autograd import refusal
from ...autograd.accidents import explain_module

T = TypeVar("T")
_DRAWN_AT_ONCE = 32  # numbers with replacement come in blocks, as in PyTorch's stream


class Sampler(Generic[T]):
    """Something that gives numbers of samples (or lists of them); subclasses give `__iter__`."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError


def drawn_seed(generator: Any = None) -> int:
    """A seed for another generator, drawn from this one."""
    return int(torch.empty((), dtype=torch.int64).random_(generator=generator).item())


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise refusal.value(f"{name} should be a positive integer value, but got {name}={value}")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ..."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """All numbers in random order, or `num_samples` of them, with or without replacement."""

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        _positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many numbers one pass gives: the size of the dataset, asked anew, unless set."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            generator = torch.Generator()
            generator.manual_seed(drawn_seed())
        count = len(self.data_source)
        if self.replacement:
            yield from _with_replacement(count, self.num_samples, generator)
        else:
            yield from _in_rounds(count, self.num_samples, generator)

    def __len__(self) -> int:
        return self.num_samples


def _with_replacement(count: int, wanted: int, generator: Any) -> Iterator[int]:
    for start in range(0, wanted + 1, _DRAWN_AT_ONCE):
        size = min(_DRAWN_AT_ONCE, wanted - start)
        drawn = torch.randint(count, (size,), dtype=torch.int64, generator=generator)
        yield from drawn.tolist()


def _in_rounds(count: int, wanted: int, generator: Any) -> Iterator[int]:
    """Whole permutations, then a part of one more, which is drawn even if no part is used."""
    for _ in range(wanted // count):
        yield from torch.randperm(count, generator=generator).tolist()
    yield from torch.randperm(count, generator=generator).tolist()[: wanted % count]


class SubsetRandomSampler(Sampler[int]):
    """The given numbers in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` numbers, each drawn with a probability proportional to its weight."""

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Any = None,
    ) -> None:
        _positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.weights = torch.as_tensor(weights, dtype=torch.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = torch.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` numbers of another sampler.

    >>> list(BatchSampler(SequentialSampler(range(5)), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        _positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


explain_module(globals())
