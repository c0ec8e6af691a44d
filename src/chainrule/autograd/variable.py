"""`Variable`: what tensors were once called; now it makes a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import refusal
from .accidents import in_words
from .state import STATE
from .value import FACTORY, TensorBase


class _ExecutionEngine:
    """The engine of backward passes, as far as programs speak to it."""

    def queue_callback(self, callback: Callable[[], Any]) -> None:
        """Call a function when the running backward pass has ended; hooks of tensors ask for it."""
        if not STATE.passes:
            raise refusal.runtime(
                "Final callbacks can only be installed during backward pass: no hook of a tensor "
                "is running",
                fix="queue it in a hook (tensor.register_hook), or call the function after "
                "backward().",
            )
        STATE.passes[-1].at_end.append(callback)


class VariableMeta(type):
    """Every tensor is a Variable."""

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, FACTORY.Tensor)


class Variable(metaclass=VariableMeta):
    """`Variable(t)` is the tensor t without history."""

    _execution_engine = _ExecutionEngine()

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, TensorBase):
            raise refusal.wrong_type(f"Variable data has to be a tensor, but got {in_words(data)}")
        t = data.detach()
        return t.requires_grad_() if requires_grad else t
