"""Parameters and buffers, also those whose shape is known only after the first call."""

from __future__ import annotations

from typing import Any

from ..autograd.accidents import PROBLEMS, explain_here
from ..tensor import Parameter, Tensor
from .modules.lazy_tensors import (
    UninitializedBuffer,
    UninitializedParameter,
    UninitializedTensorMixin,
    is_lazy,
)

_ParameterMeta = type(Parameter)  # libraries ask it whether something is a parameter


class _BufferMeta(type):
    """A buffer is any tensor marked as one: it keeps its own class."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(metaclass=_BufferMeta):
    """Mark a tensor as a buffer: assigned to a module it is registered, not just stored.

    >>> import chainrule as torch
    >>> class Counter(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.seen = torch.nn.Buffer(torch.zeros(2))
    >>> list(Counter().state_dict())
    ['seen']
    """

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        try:
            if data is None:
                data = Tensor()
            made = data.detach().requires_grad_(data.requires_grad)
            made.persistent = persistent
            made._is_buffer = True
            return made
        except PROBLEMS as problem:
            explain_here(problem)
            raise


__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]
