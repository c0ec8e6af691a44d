"""A tensor as text: gathers what `printing` needs from a tensor."""

from __future__ import annotations

from typing import Any

from ..ops import dtypes
from .printing import format_tensor, tensor_text, transform_text


def tensor_repr(t: Any) -> str:
    """What repr() and print() show."""
    if t._level is not None:
        return t._level.text(t)
    grad_fn = t.grad_fn
    name = "tensor"
    from .parameter import Parameter

    text = tensor_text(
        t._a,
        dtype_name=t.dtype.name,
        default_dtype_name=dtypes.get_default_dtype().name,
        requires_grad=t._rg,
        grad_fn_name=None if grad_fn is None else grad_fn.name(),
        device="meta" if is_meta(t) else "cpu",
        class_name=name,
        is_parameter=isinstance(t, Parameter),
    )
    return text


def is_meta(t: Any) -> bool:
    """Whether a tensor has a shape and type but no data."""
    return bool(t._meta and t._meta.get("device") == "meta")


def tensor_format(t: Any, spec: str) -> str:
    """format(): a 0-dim tensor formats as its number."""
    if t.ndim == 0 and t._level is None and not is_meta(t):
        return format(t.item(), spec)
    return object.__format__(t, spec) if spec else tensor_repr(t)


__all__ = ["format_tensor", "is_meta", "tensor_format", "tensor_repr", "transform_text"]
