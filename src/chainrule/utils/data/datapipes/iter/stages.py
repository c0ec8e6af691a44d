"""Stages that read, change, group and join samples."""

from __future__ import annotations

import copy
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..._utils.collate import default_collate
from ..._utils.worker import get_worker_info
from ..datapipe import DataChunk, IterDataPipe, functional_datapipe, on_columns


class IterableWrapperIterDataPipe(IterDataPipe):
    """Any iterable as a pipe; by default each pass reads a copy of it."""

    def __init__(self, iterable: Any, deepcopy: bool = True) -> None:
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self) -> Iterator[Any]:
        given = self.iterable
        if self.deepcopy:
            try:
                given = copy.deepcopy(given)
            except TypeError:  # generators and files cannot be copied: they are read themselves
                pass
        yield from given

    def __len__(self) -> int:
        return len(self.iterable)


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe):
    """A function of each sample, or of columns of it."""

    def __init__(
        self, datapipe: Any, fn: Callable[..., Any], input_col: Any = None, output_col: Any = None
    ) -> None:
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        self.datapipe, self.fn = datapipe, fn
        self.input_col, self.output_col = input_col, output_col

    def __iter__(self) -> Iterator[Any]:
        for sample in self.datapipe:
            made = on_columns(self.fn, sample, self.input_col)
            yield made if self.input_col is None else self._placed(sample, made)

    def _placed(self, sample: Any, made: Any) -> Any:
        """The sample with the result in its column; what else the function read is taken out."""
        into = self.output_col
        changed = list(sample) if isinstance(sample, tuple) else copy.copy(sample)
        if into is None:
            read = self.input_col if isinstance(self.input_col, list | tuple) else [self.input_col]
            changed[read[0]] = made  # pyright: ignore[reportArgumentType, reportCallIssue]
            for k in sorted(read[1:], reverse=True):  # pyright: ignore[reportArgumentType]
                del changed[k]
        elif into == -1:
            changed.append(made)
        else:
            changed[into[0] if isinstance(into, list | tuple) else into] = made
        return tuple(changed) if isinstance(sample, tuple) else changed

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """The samples for which a function is true."""

    def __init__(self, datapipe: Any, filter_fn: Callable[..., Any], input_col: Any = None) -> None:
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def __iter__(self) -> Iterator[Any]:
        return (s for s in self.datapipe if on_columns(self.filter_fn, s, self.input_col))


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Batches as tensors."""

    def __init__(self, datapipe: Any, collate_fn: Callable[..., Any] | None = None) -> None:
        super().__init__(datapipe, default_collate if collate_fn is None else collate_fn)


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe):
    """Samples in lists of `batch_size`."""

    def __init__(
        self,
        datapipe: Any,
        batch_size: int,
        drop_last: bool = False,
        wrapper_class: Any = DataChunk,
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size = datapipe, batch_size
        self.drop_last, self.wrapper_class = drop_last, wrapper_class

    def __iter__(self) -> Iterator[Any]:
        samples = iter(self.datapipe)
        while held := list(itertools.islice(samples, self.batch_size)):
            if len(held) == self.batch_size or not self.drop_last:
                yield self.wrapper_class(held)

    def __len__(self) -> int:
        count = len(self.datapipe)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """Samples out of lists, `unbatch_level` lists deep; -1 for all."""

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator[Any]:
        for sample in self.datapipe:
            yield from self._inside(sample, self.unbatch_level)

    def _inside(self, sample: Any, level: int) -> Iterator[Any]:
        if level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if level == 0 or (level == -1 and not isinstance(sample, list | DataChunk)):
            yield sample
            return
        if not isinstance(sample, list | DataChunk):
            raise IndexError(
                f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe"
            )
        for part in sample:
            yield from self._inside(part, level if level == -1 else level - 1)


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """One pipe after the other."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.datapipes)

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe):
    """Tuples of one sample of each pipe, as long as all have one."""

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        return zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(map(len, self.datapipes))


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(IterDataPipe):
    """Every n-th sample: each of n workers of a DataLoader, or of n processes, has its own."""

    def __init__(self, source_datapipe: Any, sharding_group_filter: Any = None) -> None:
        self.source_datapipe = source_datapipe
        self.given: tuple[int, int] | None = None

    def apply_sharding(
        self, num_of_instances: int, instance_id: int, sharding_group: Any = None
    ) -> None:
        """Say by hand how many there are, and which one this is."""
        if instance_id >= num_of_instances:
            raise ValueError(
                f"instance_id({instance_id}) should be smaller than num_of_instances"
                f"({num_of_instances})"
            )
        self.given = num_of_instances, instance_id

    def _share(self) -> tuple[int, int]:
        if self.given is not None:
            return self.given
        distributed = sys.modules.get("chainrule.distributed")
        if distributed is not None and distributed.is_initialized():
            if (ranks := distributed.get_world_size()) > 1:
                raise NotImplementedError(
                    f"sharding_filter does not share samples among {ranks} processes by itself\n"
                    "  Fix: pipe.apply_sharding(num_of_instances, instance_id)."
                )
        worker = get_worker_info()
        return (1, 0) if worker is None else (worker.num_workers, worker.id)

    def __iter__(self) -> Iterator[Any]:
        count, mine = self._share()
        return itertools.islice(iter(self.source_datapipe), mine, None, count)

    def __len__(self) -> int:
        count, mine = self._share()
        return max(0, -(-(len(self.source_datapipe) - mine) // count))
