"""A tensor as text: gathers what `printing` needs from a tensor."""

from __future__ import annotations

from typing import Any

from ..autograd.state import STATE, TRACE
from ..ops import dtypes
from .parameter import Parameter
from .printing import format_tensor, tensor_text


def tensor_repr(t: Any) -> str:
    """What repr() and print() show."""
    return plain_text(t) if t._level is None else t._level.text(t)


def plain_text(t: Any) -> str:
    """The text of a tensor whose payload is an array (of meta tensors only the shape is read)."""
    if STATE.unusual & TRACE:
        STATE.trace.concrete(t, "printing")
    try:
        grad_fn = t.grad_fn
        name = None if grad_fn is None else grad_fn.name()
    except RuntimeError:  # a view whose history cannot be told any more; its values can
        name = "Invalid"
    return tensor_text(
        t._a,
        dtype_name=t.dtype.name,
        default_dtype_name=dtypes.get_default_dtype().name,
        requires_grad=t._rg,
        grad_fn_name=name,
        device=t.device.type,
        class_name=_class_name(t),
        is_parameter=isinstance(t, Parameter),
    )


def _class_name(t: Any) -> str:
    name = type(t).__name__
    return "tensor" if name in ("Tensor", "Parameter", "Buffer") else name


def tensor_format(t: Any, spec: str) -> str:
    """format(): a plain 0-dim tensor formats as its number."""
    if STATE.unusual & TRACE:
        STATE.trace.concrete(t, "printing")
    as_number = t._level is None and t.ndim == 0 and type(t).__name__ == "Tensor"
    return format_tensor(
        t._a, spec, as_number=as_number, text=lambda: tensor_repr(t), class_name=type(t).__name__
    )
