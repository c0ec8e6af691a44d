"""Stages that change the order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import chainrule as torch

from ...sampler import SequentialSampler
from ..datapipe import IterDataPipe, functional_datapipe


class SamplerIterDataPipe(IterDataPipe):
    """What a sampler draws from a dataset."""

    def __init__(
        self,
        datapipe: Any,
        sampler: Any = SequentialSampler,
        sampler_args: tuple[Any, ...] | None = None,
        sampler_kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.datapipe = datapipe
        self.sampler = sampler(
            *(sampler_args or ()), **{**(sampler_kwargs or {}), "data_source": datapipe}
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return len(self.sampler)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(IterDataPipe):
    """Samples in random order, out of a buffer; the seed comes from torch's generator."""

    def __init__(
        self,
        datapipe: Any,
        *,
        default: bool = True,
        buffer_size: int = 10000,
        unbatch_level: int = 0,
    ) -> None:
        if buffer_size <= 0:
            raise ValueError("buffer_size should be larger than 0")
        self.datapipe = datapipe.unbatch(unbatch_level) if unbatch_level else datapipe
        self.buffer_size = buffer_size
        self._enabled, self._seed = default, None

    def set_shuffle(self, shuffle: bool = True) -> ShufflerIterDataPipe:
        """Switch it on or off."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> ShufflerIterDataPipe:
        """The seed of the next pass."""
        self._seed = seed
        return self

    def __iter__(self) -> Iterator[Any]:
        if not self._enabled:
            yield from self.datapipe
            return
        seed, self._seed = self._seed, None
        if seed is None:
            seed = int(torch.empty((), dtype=torch.int64).random_().item())
        numbers, held = random.Random(seed), []
        for sample in self.datapipe:
            if len(held) < self.buffer_size:
                held.append(sample)
                continue
            place = numbers.randint(0, len(held) - 1)
            drawn, held[place] = held[place], sample
            yield drawn
        while held:
            yield held.pop(numbers.randint(0, len(held) - 1))

    def __len__(self) -> int:
        return len(self.datapipe)
