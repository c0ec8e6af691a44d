"""The arguments of a call as a flat list of leaves: tensors, numbers, objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...autograd.value import TensorBase


def flatten(value: Any, into: list[Any], shape: list[Any] | None = None) -> None:
    """The leaves of nested containers and batches, in order; `shape` gets the structure."""
    if isinstance(value, tuple | list):
        if shape is not None:
            shape.append((type(value), len(value)))
        for item in value:
            flatten(item, into, shape)
    elif isinstance(value, Mapping):
        if shape is not None:
            shape.append((type(value), *value))
        for key in value:
            flatten(value[key], into, shape)
    elif is_batch(value):
        if shape is not None:
            shape.append((type(value), *value.__dict__))
        for item in value.__dict__.values():
            flatten(item, into, shape)
    else:
        into.append(value)


def containers_in(value: Any) -> set[int]:
    """The ids of all lists and dicts among the arguments."""
    parts: Any = ()
    if isinstance(value, tuple | list):
        parts = value
    elif isinstance(value, Mapping):
        parts = [value[key] for key in value]
    elif is_batch(value):
        parts = value.__dict__.values()
    own = {id(value)} if isinstance(value, list | Mapping) else set()
    return own.union(*(containers_in(part) for part in parts))


def is_batch(value: Any) -> bool:
    """Whether an argument is an object that holds tensors: another one in every call."""
    fields = getattr(value, "__dict__", None)
    if not isinstance(fields, dict) or isinstance(value, TensorBase | type):
        return False
    return any(isinstance(x, TensorBase) for x in fields.values())


@contextmanager
def with_stand_ins(given: Any, numbers: dict[int, Any]) -> Iterator[Any]:
    """The arguments with other leaves at some positions, for a while.

    Lists, dicts and batches are written, so that the function sees the caller's own; tuples are
    made anew.
    """
    written: list[tuple[Any, Any, Any, Any]] = []
    try:
        yield _Replacing(numbers, written).rebuilt(given) if numbers else given
    finally:
        for container, key, value, stand_in in written:
            if container[key] is stand_in:
                container[key] = value


class _Replacing:
    """Walks as `flatten` does and counts leaves."""

    def __init__(self, numbers: dict[int, Any], written: list[Any]) -> None:
        self.numbers, self.written = numbers, written
        self.count = 0

    def rebuilt(self, value: Any) -> Any:
        """What stands in for a part of the arguments."""
        if isinstance(value, tuple):
            items = [self.rebuilt(item) for item in value]
            if all(a is b for a, b in zip(items, value, strict=True)):
                return value
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, list):
            self._write(value, list(enumerate(value)))
            return value
        if isinstance(value, Mapping):
            self._write(value, [(key, value[key]) for key in value])
            return value
        if is_batch(value):
            self._write(value.__dict__, list(value.__dict__.items()))
            return value
        self.count += 1
        return self.numbers.get(self.count - 1, value)

    def _write(self, container: Any, items: list[tuple[Any, Any]]) -> None:
        for key, item in items:
            stand_in = self.rebuilt(item)
            if stand_in is not item:
                container[key] = stand_in
                self.written.append((container, key, item, stand_in))
