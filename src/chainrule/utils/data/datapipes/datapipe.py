"""The two kinds of pipes, and how a stage becomes a method of all pipes of its kind."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

from ....autograd import refusal, source
from ....autograd.accidents import explain_module
from ..dataset import Dataset, IterableDataset

Stage = TypeVar("Stage", bound=type)


def _stage_method(pipe: Any, name: str, stages: dict[str, Any]) -> Any:
    if name in stages:
        return functools.partial(stages[name], pipe)
    raise AttributeError(f"'{type(pipe).__name__}' object has no attribute '{name}'")


class IterDataPipe(IterableDataset):
    """A dataset that is iterated over, and whose stages are methods.

    >>> from chainrule.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(5)).map(lambda n: n * n).filter(lambda n: n % 2 == 0)
    >>> list(pipe.batch(2))
    [[0, 4], [16]]
    """

    functions: ClassVar[dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return _stage_method(self, name, IterDataPipe.functions)

    @classmethod
    def register_function(cls, function_name: str, function: Any) -> None:
        """Make a function of a pipe a method of all pipes."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Any, enable_df_api_tracing: bool = False
    ) -> None:
        """Make a class of pipes a method of all pipes."""
        _register(cls.functions, function_name, cls_to_register)


class MapDataPipe(Dataset):
    """A dataset of numbered samples, whose stages are methods."""

    functions: ClassVar[dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return _stage_method(self, name, MapDataPipe.functions)

    @classmethod
    def register_function(cls, function_name: str, function: Any) -> None:
        """Make a function of a pipe a method of all pipes."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name: str, cls_to_register: Any) -> None:
        """Make a class of pipes a method of all pipes."""
        _register(cls.functions, function_name, cls_to_register)


class _DataPipeSerializationWrapper:
    """A pipe around another, with which it goes to other processes."""

    def __init__(self, datapipe: Any) -> None:
        self._datapipe = datapipe

    def __len__(self) -> int:
        return len(self._datapipe)


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):
    def __iter__(self) -> Iterator[Any]:
        yield from self._datapipe


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):
    def __getitem__(self, index: Any) -> Any:
        return self._datapipe[index]


class DataChunk(list):
    """A batch of samples: a list that can give its samples without inner batches."""

    def __init__(self, items: Any) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The samples as text."""
        return f"{indent}[{', '.join(str(item) for item in self)}]"

    def raw_iterator(self) -> Iterator[Any]:
        """The samples, as they are."""
        yield from self.items


def _register(stages: dict[str, Any], name: str, cls: Any) -> None:
    if name in stages:
        raise Exception(
            f"Unable to add DataPipe function name {name} as it is already taken\n"
            f"  at {source.here()}\n  Fix: another name."
        )
    stages[name] = cls


class functional_datapipe:
    """Decorate a class of pipes: it becomes the method `name` of all pipes of its kind."""

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name

    def __call__(self, cls: Stage) -> Stage:
        if not isinstance(cls, type) or not issubclass(cls, IterDataPipe | MapDataPipe):
            raise refusal.wrong_type(
                f"`functional_datapipe` can only decorate IterDataPipe or MapDataPipe, got {cls!r}"
            )
        kind: Any = IterDataPipe if issubclass(cls, IterDataPipe) else MapDataPipe
        kind.register_datapipe_as_function(self.name, cls)
        return cls  # pyright: ignore[reportReturnType]


def on_columns(fn: Callable[..., Any], sample: Any, taken: Any) -> Any:
    """A function of a whole sample, of one of its columns, or of several."""
    if taken is None:
        return fn(sample)
    if isinstance(taken, list | tuple):
        return fn(*(sample[k] for k in taken))
    return fn(sample[taken])


explain_module(globals(), "DataChunk")
