"""Python operators on tensors, each bound to an op of the table."""

from __future__ import annotations

from typing import Any

from ..autograd.dispatch import entry
from ..autograd.inplace import inplace
from ..ops.schema import TABLE
from .api import specialise_on_call

_DIRECT = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__pow__": "pow",
    "__neg__": "neg", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le",
    "__gt__": "gt", "__ge__": "ge",
}  # fmt: skip
_REFLECTED = {
    "__radd__": "add", "__rsub__": "sub", "__rmul__": "mul", "__rtruediv__": "div",
    "__rpow__": "pow",
}  # fmt: skip
_IN_PLACE = {
    "__iadd__": "add", "__isub__": "sub", "__imul__": "mul", "__itruediv__": "div",
    "__ipow__": "pow",
}  # fmt: skip


def install_operators(cls: type) -> None:
    """Give a Tensor class its operators."""
    for name, op_name in _DIRECT.items():
        if op_name in TABLE:
            setattr(cls, name, specialise_on_call(cls, name, TABLE[op_name]))
    for name, op_name in _REFLECTED.items():
        setattr(cls, name, _reflected(op_name))
    for name, op_name in _IN_PLACE.items():
        setattr(cls, name, _in_place(op_name))
    cls.__matmul__ = lambda self, other: self.matmul(other)  # type: ignore[attr-defined]
    cls.__rmatmul__ = lambda self, other: other.matmul(self)  # type: ignore[attr-defined]
    cls.__hash__ = lambda self: id(self)  # type: ignore[method-assign]


def _reflected(op_name: str) -> Any:
    op = TABLE[op_name]

    def call(self: Any, other: Any) -> Any:
        return entry(op)(other, self)

    return call


def _in_place(op_name: str) -> Any:
    op = TABLE[op_name]

    def call(self: Any, other: Any) -> Any:
        return inplace(op, self, (other,), {}, op_name + "_")

    return call
