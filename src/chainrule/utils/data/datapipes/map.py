"""Stages of pipes of numbered samples, under PyTorch's names."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .datapipe import MapDataPipe, functional_datapipe


class SequenceWrapperMapDataPipe(MapDataPipe):
    """A sequence or a mapping as a pipe; by default it holds a copy."""

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        self.sequence = copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe):
    """A function of each sample."""

    def __init__(self, datapipe: Any, fn: Callable[[Any], Any]) -> None:
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


SequenceWrapper = SequenceWrapperMapDataPipe
Mapper = MapperMapDataPipe

__all__ = ["Mapper", "SequenceWrapper"]
