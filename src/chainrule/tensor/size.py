"""Size: the shape of a tensor, a tuple that prints and behaves as PyTorch's."""

from __future__ import annotations

from typing import Any

from ..autograd.accidents import PROBLEMS, explain_here, explain_methods

_item, _new = tuple.__getitem__, tuple.__new__


class Size(tuple):
    """A tensor's shape."""

    __slots__ = ()

    def __new__(cls, values: Any = ()) -> Size:
        """The lengths as ints; tensors of one integer count as numbers."""
        try:
            made = tuple.__new__(cls, values)
            for k, d in enumerate(made):
                if d.__class__ is not int:
                    return _of_ints(cls, made, k)
            return made
        except PROBLEMS as problem:
            explain_here(problem)
            raise

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        n = 1
        for d in self:
            n *= d
        return n

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        found = _item(self, index)
        # What is part of a size has been looked at.
        return _new(Size, found) if found.__class__ is tuple else found

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: Any) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)


def _of_ints(cls: type, values: tuple[Any, ...], first: int) -> Any:
    for k, d in enumerate(tuple(values)[first:], first):
        if not hasattr(d, "__index__"):
            raise TypeError(
                f"torch.Size() takes an iterable of 'int' (item {k} is '{type(d).__name__}')"
            )
    return tuple.__new__(cls, (d.__index__() for d in values))


# (Reading a length is left as quick as Python has it: programs do little else with a shape.)
explain_methods(Size, "__add__", "__radd__", "__mul__", "__rmul__")
