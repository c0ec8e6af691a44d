"""`Variable`: what tensors were once called; now it makes a tensor."""

from __future__ import annotations

from typing import Any

from .value import FACTORY


class _VariableMeta(type):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, FACTORY.Tensor)


class Variable(metaclass=_VariableMeta):
    """`Variable(t)` is the tensor t without history."""

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        t = data.detach()
        return t.requires_grad_() if requires_grad else t
