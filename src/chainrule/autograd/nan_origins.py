"""Where NaN and infinity in tensors came from, while `detect_anomaly(forward=True)` is on.

An infinity is no error in itself: masks are made of it. So what makes one out of finite operands
is only noted, by the memory the result lies in, and handed on to what is computed from it; when a
NaN arises, or an optimizer is given something that is not finite, the note tells the beginning of
the story. NaN that nobody here made is *data*: it was in the tensor when the block first saw it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np

from ..ops.weak import WeakTable
from . import source
from .nonfinite import find, payload
from .value import TensorBase
from .variable_names import find_name


@dataclass(frozen=True)
class Origin:
    """The beginning of a NaN or an infinity: a headline and the lines that explain it."""

    headline: str  # "exp at model.py:9 in forward: y = x.exp()"
    lines: tuple[str, ...] = ()
    deliberate: bool = False  # written by the user as a number: a mask
    data: bool = False  # in a tensor that no operation of the block made
    parameter: bool = False  # of a module


class Log:
    """What is known in one block: origins by memory, and the optimizer steps taken."""

    def __init__(self) -> None:
        self.origins: dict[int, tuple[Any, Origin]] = {}
        self.steps = WeakTable()  # optimizer -> its history (optim.watched_step)
        self.gradients: dict[int, tuple[Any, Origin]] = {}  # id(leaf) -> of its gradient

    def note(self, value: Any, origin: Origin) -> None:
        """The memory of `value` holds what `origin` tells of."""
        root = memory(value)
        if root is not None:
            key = id(root)
            origins = self.origins
            origins[key] = (ref(root, lambda _: origins.pop(key, None)), origin)

    def forget(self, value: Any) -> None:
        """The memory was overwritten with finite values."""
        root = memory(value)
        if root is not None:
            self.origins.pop(id(root), None)

    def of(self, value: Any) -> Origin | None:
        """The origin of what is not finite in a tensor, if an operation of the block made it."""
        root = memory(value)
        kept = self.origins.get(id(root)) if root is not None else None
        return kept[1] if kept is not None and kept[0]() is root else None

    def note_gradient(self, leaf: Any, origin: Origin) -> None:
        """The gradient that `leaf` received is not finite, because of `origin`."""
        self.gradients[id(leaf)] = (ref(leaf), origin)

    def of_gradient(self, leaf: Any) -> Origin | None:
        kept = self.gradients.get(id(leaf))
        return kept[1] if kept is not None and kept[0]() is leaf else None


def memory(value: Any) -> np.ndarray | None:
    """The array that owns the memory of a tensor: all its views have it in common."""
    while isinstance(value, TensorBase):
        value = value._a
    if not isinstance(value, np.ndarray):
        return None
    return _owner(value)  # pyright: ignore[reportUnknownArgumentType]


def _owner(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def origin_of(log: Log, value: Any) -> Origin:
    """The origin of an operand that is not finite; data when nothing is known of it."""
    known = log.of(value)
    return known if known is not None else as_data(value)


def as_data(value: Any) -> Origin:
    """Non-finite values that were there before any operation of the block."""
    array = payload(value)
    found = find(array) if array is not None else None
    name = find_name(value)
    kind = found.kind if found is not None else "nan"
    if isinstance(value, float | complex) or (array is not None and array.ndim == 0):
        label = f"`{name.text}`" if name else "a number"
        number = value if array is None else array.item()
        return Origin(f"{label} that is {number}, written at {source.here()}", deliberate=True)
    assert array is not None
    size = f"{array.dtype.name} {list(array.shape)}"
    if name is not None and name.parameter:
        lines = [f"it holds {found}."] if found else []
        return Origin(
            f"{kind} values in a parameter: {name.text} ({size}), before this operation",
            tuple(lines),
            data=True,
            parameter=True,
        )
    label = f"`{name.text}`" if name is not None else "a tensor"
    lines = [f"it holds {found}."] if found else []
    if found is not None and array.ndim > 1 and array[found.first[0]].size <= 8:
        row = np.array2string(np.asarray(array[found.first[0]], np.float64), precision=4)
        lines.append(f"row {found.first[0]}: {row}".replace("\n", ""))
    if name is not None and name.assigned:
        lines.append(f"made at {name.assigned}")
    return Origin(f"{kind} values in the data: {label} ({size})", tuple(lines), data=True)
