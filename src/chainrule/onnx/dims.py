"""Lengths of axes that may vary: whole numbers that remember how they were computed."""

from __future__ import annotations

from typing import Any


class Dim(int):
    """A length read from a tensor, or computed from such lengths: an int wherever one is wanted."""

    made_of: tuple[Any, ...]  # ("axis", tensor, number) or (operator of ONNX, left, right)

    def __new__(cls, value: int, made_of: tuple[Any, ...]) -> Dim:
        made = super().__new__(cls, value)
        made.made_of = made_of
        return made

    def _with(self, op: str, other: Any, value: int, reflected: bool = False) -> Any:
        if not isinstance(other, int):
            return value
        return Dim(value, (op, other, self) if reflected else (op, self, other))

    def __add__(self, other: Any) -> Any:
        found = int.__add__(self, other)
        return found if found is NotImplemented else self._with("Add", other, found)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        found = int.__mul__(self, other)
        return found if found is NotImplemented else self._with("Mul", other, found)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        found = int.__sub__(self, other)
        return found if found is NotImplemented else self._with("Sub", other, found)

    def __rsub__(self, other: Any) -> Any:
        found = int.__rsub__(self, other)
        return found if found is NotImplemented else self._with("Sub", other, found, True)

    def __floordiv__(self, other: Any) -> Any:
        found = int.__floordiv__(self, other)
        return found if found is NotImplemented else self._with("Div", other, found)

    def __mod__(self, other: Any) -> Any:
        found = int.__mod__(self, other)
        return found if found is NotImplemented else self._with("Mod", other, found)

    def __neg__(self) -> Any:
        return Dim(int.__neg__(self), ("Sub", 0, self))

    def __reduce__(self) -> Any:
        return int, (int(self),)
