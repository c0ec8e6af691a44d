"""Assigning to `.grad` and `.data`: the checks."""

from __future__ import annotations

import warnings
from typing import Any

from ..autograd import source
from ..autograd.value import TensorBase


def check_grad(t: Any, value: Any) -> None:
    """A gradient is None or a tensor of its tensor's shape and type."""
    if value is None:
        return
    if not isinstance(value, TensorBase):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(value).__name__}\n  at {source.here(3)}"
        )
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    if tuple(value.shape) != tuple(t.shape):  # type: ignore[attr-defined]
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "  # type: ignore[attr-defined]
            f"'{list(t.shape)}'. Please ensure that the gradient and the tensor are the same size\n"
            f"  at {source.here(3)}"
        )
    if value.dtype is not t.dtype:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.name}' to a tensor with "  # type: ignore[attr-defined]
            f"grad_dtype '{t.dtype.name}'. The gradient must match the tensor's dtype.\n"
            f"  at {source.here(3)}"
        )


def warn_not_kept(t: Any) -> None:
    """Say that a result's gradient is not kept, when somebody looks for it."""
    if t.grad_fn is None or t.retains_grad:
        return
    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(): only leaves keep their "
        "gradient. Call .retain_grad() on it before backward(), or look at the leaf.",
        stacklevel=3,
    )


def set_data(t: Any, value: Any) -> None:
    """`t.data = value`: another value under the same history and version."""
    if not isinstance(value, TensorBase):
        raise TypeError(
            f"Variable data has to be a tensor, but got {type(value).__name__}\n"
            f"  at {source.here(3)}"
        )
    if value._level is not t._level:  # type: ignore[attr-defined]
        _change_level(t, value)
    t._a = value._a
    t._view = None


def _change_level(t: Any, value: Any) -> None:
    """Data for a tensor that had none (meta), or the reverse."""
    if value._level is None:
        t.__dict__.pop("_level", None)
        t.__class__ = next(c for c in type(t).__mro__ if "_is_meta_class" not in vars(c))
    elif value._level.kind == "meta":
        from .meta import meta_class

        t.__class__ = meta_class(type(t))
        t.__dict__["_level"] = value._level
