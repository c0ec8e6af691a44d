"""Tensors that hold other tensors: `Tensor._make_wrapper_subclass`.

Such a tensor has a shape, a type and a history, and no values of its own: its class says with
`__torch_dispatch__` what ops do with what it holds. Its payload is memory that nobody touches, so
that strides and offsets are those it was made with.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.value import make
from ..ops.dtypes import get_default_dtype
from ..tensor.creation import blank_array
from ..tensor.device import CPU, device
from ..tensor.layouts import strided
from ..tensor.leaf import want_grad
from ..tensor.overriding import notice
from .asking import defines_dispatch

_MOST = 1 << 30  # bytes of untouched memory; what claims more has strides of a dense tensor only


def make_wrapper(
    cls: type, size: Any, *, strides: Any = None, storage_offset: Any = None, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, **ignored: Any,
) -> Any:  # fmt: skip
    """A tensor of the class with a shape and a type, and no values.

    Ignored is what says how PyTorch's core asks the class for metadata: here it never does.
    """
    if not defines_dispatch(cls):
        raise refusal.wrong_type(
            f"{cls.__name__} must define __torch_dispatch__ to be made with "
            "_make_wrapper_subclass: that says what ops do with what the tensor holds"
        )
    shape = tuple(int(n) for n in size)
    kind = (dtype or get_default_dtype()).np
    t = make(_memory(shape, kind, strides, storage_offset or 0))
    t.__class__ = cls
    notice(cls)
    own = t.__dict__
    own["_wraps"] = True
    if device is not None:
        own["_own_device"] = _device(device)
    if layout is not None and layout is not strided:
        own["_own_layout"] = layout
    return want_grad(t, True) if requires_grad else t


def _device(place: Any) -> Any:
    return CPU if str(place) == "cpu" else device(place)


def _memory(shape: tuple[int, ...], dtype: Any, strides: Any, offset: int) -> np.ndarray:
    if strides is None:
        count = math.prod(shape)
        if count * dtype.itemsize > _MOST:
            return blank_array(shape, dtype)
        whole = np.zeros(count + offset, dtype)
        return whole[offset:].reshape(shape)
    steps = [int(s) for s in strides]
    if offset < 0 or len(steps) != len(shape) or any(s < 0 for s in steps):
        raise refusal.runtime(
            f"a wrapper of size {list(shape)} cannot have strides {steps} and offset {offset}"
        )
    extent = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    if extent * dtype.itemsize > _MOST:
        return blank_array(shape, dtype)
    whole = np.zeros(max(extent, 1) + offset, dtype)
    return np.lib.stride_tricks.as_strided(
        whole[offset:], shape, [s * dtype.itemsize for s in steps]
    )


def describe(t: Any) -> dict[str, Any]:
    """What a tensor like this one is made with."""
    return {
        "size": tuple(t.shape), "strides": tuple(t.stride()), "dtype": t.dtype,
        "device": str(t.device), "requires_grad": t._rg,
    }  # fmt: skip


def rebuild(cls: type, made_with: dict[str, Any], attributes: dict[str, Any]) -> Any:
    """A wrapper from what `describe` said and its own attributes."""
    t = make_wrapper(cls, **made_with)
    t.__dict__.update(attributes)
    return t


def deep_copy(t: Any, memo: dict[int, Any]) -> Any:
    """A copy of a tensor whose class is asked about ops: what it holds is copied by its class."""
    import copy

    from .level import twin

    made = t.detach().clone()
    if type(made) is not type(t):
        raise refusal.runtime(
            f"The default implementation of __deepcopy__() for {type(t).__name__} needs clone() "
            f"to return one too, but it returned {type(made).__name__}",
            fix="handle aten.clone.default and aten.detach.default in __torch_dispatch__, or "
            "write a __deepcopy__.",
        )
    made = twin(made)
    memo[id(t)] = made
    held = {k: v for k, v in t.__dict__.items() if k not in made.__dict__}
    made.__dict__.update(copy.deepcopy(held, memo))
    if t._rg:
        want_grad(made, True)
    if t._grad is not None:
        made._grad = copy.deepcopy(t._grad, memo)
    return made
