"""Parameters and buffers that wait for their shape."""

from __future__ import annotations

from typing import Any

from ...tensor import Parameter, Tensor


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer still waits for its shape."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedTensorMixin:
    """What uninitialized parameters and buffers share: they have a type but no shape yet."""


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape a lazy module finds out from its first input."""


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape a lazy module finds out from its first input."""
