"""The length of a ragged dimension: a number for each component, so no number itself."""

from __future__ import annotations

import itertools
from typing import Any, NoReturn

from .. import SymInt  # pyright: ignore[reportAttributeAccessIssue]
from ..utils.weak import WeakIdKeyDictionary

_COUNT = itertools.count(1)


class NestedInt(SymInt):
    """`j1`, `j2`, ...: equal to itself and to nothing else; larger than 1."""

    def __new__(cls, *args: Any) -> Any:
        return object.__new__(cls)  # nobody else can make symbolic numbers

    def __init__(self, number: int | None = None, factor: int = 1) -> None:
        self.number = next(_COUNT) if number is None else number
        self.factor = factor

    def __repr__(self) -> str:
        return f"j{self.number}" if self.factor == 1 else f"{self.factor}*j{self.number}"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NestedInt) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self.number)

    def _key(self) -> tuple[int, int]:
        return self.number, self.factor

    def __mul__(self, other: Any) -> Any:
        if type(other) is not int:
            return NotImplemented
        return NestedInt(self.number, self.factor * other)

    __rmul__ = __mul__

    def __gt__(self, other: Any) -> bool:
        return self._least(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self == other or self._least(other) >= 0

    def __lt__(self, other: Any) -> bool:
        return not self >= other

    def __le__(self, other: Any) -> bool:
        return not self > other

    def _least(self, other: Any) -> int:
        if type(other) is int and other <= 2:
            return 2 - other
        raise ValueError(f"{self!r} has another value in each component: compare it with 0 or 1")

    def __bool__(self) -> bool:
        return True

    def _refuse(self, *args: Any) -> NoReturn:
        raise RuntimeError(
            f"{self!r} is the length of a ragged dimension, another one in each component, and no "
            "number.\n  Fix: x.offsets().diff() has the lengths."
        )

    __int__ = __index__ = __float__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __floordiv__ = __truediv__ = _refuse


NestedInt.__name__ = NestedInt.__qualname__ = "SymInt"  # users know it as such


_LENGTHS = WeakIdKeyDictionary()


def length_of(source: Any) -> NestedInt:
    """The ragged length that belongs to offsets (or lengths): one for each such tensor."""
    found = _LENGTHS.get(source)
    if found is None:
        found = _LENGTHS[source] = NestedInt()
    return found
