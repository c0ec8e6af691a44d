"""`asarray`: a tensor on the memory of what is given, or a copy where that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.source import warn_user
from ..autograd.value import TensorBase, make
from ..ops import dtypes
from .creation import as_tensor
from .device import require
from .interop import from_dlpack, from_numpy, frombuffer
from .leaf import want_grad
from .storage import TypedStorage, UntypedStorage

if TYPE_CHECKING:
    from .annotations import DeviceLike, DType, Tensor


def asarray(
    obj: object, *, dtype: DType | None = None, device: DeviceLike | None = None,
    copy: bool | None = None, requires_grad: bool | None = None,
) -> Tensor:  # fmt: skip
    """A tensor of any data: on the same memory (copy=False), on its own (copy=True), or as it can.

    Bytes, and whatever else shows its memory by Python's buffer protocol, are read as elements of
    `dtype`.

    >>> import chainrule as torch
    >>> memory = bytearray(4)
    >>> seen = torch.asarray(memory, dtype=torch.int16)
    >>> memory[0] = 7
    >>> seen
    tensor([7, 0], dtype=torch.int16)
    """
    try:
        shared = _on_its_memory(obj, dtype, copy)
        if shared is None:
            if copy is False:
                raise refusal.value(
                    "can't alias arbitrary sequence into a tensor.",
                    f"a {type(obj).__name__} has no memory of elements in a row",
                    fix="leave out copy=False.",
                )
            return want_grad(as_tensor(obj, dtype=dtype, device=device), bool(requires_grad))
        return _tracked(_converted(shared, dtype, device, copy), obj, requires_grad)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _on_its_memory(obj: Any, dtype: Any, copy: bool | None) -> Any:
    """A tensor on the memory of an object; None where it shows none."""
    if isinstance(obj, TensorBase):
        return obj
    if isinstance(obj, np.generic):
        if copy is False:
            raise refusal.runtime(
                "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray.",
                f"it is a numpy.{type(obj).__name__}",
            )
        return from_numpy(np.asarray(obj))
    if isinstance(obj, np.ndarray):
        return as_tensor(obj) if copy is not False else from_numpy(obj)
    if isinstance(obj, UntypedStorage):
        return _on_storage(obj, dtype)
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    if hasattr(obj, "__array_interface__") or hasattr(obj, "__array__"):
        return None  # by its values, which may be others than its bytes
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=dtype or dtypes.get_default_dtype())


def _on_storage(storage: UntypedStorage, dtype: Any) -> Any:
    """A tensor of the storage's elements; those of bytes without a type are taken for `dtype`."""
    if isinstance(storage, TypedStorage):
        return make(storage.bytes())
    kind = (dtype or dtypes.int64).np
    whole = storage.nbytes() // kind.itemsize * kind.itemsize
    return make(storage.bytes()[:whole].view(kind))


def _converted(shared: Any, dtype: Any, device: Any, copy: bool | None) -> Any:
    """It on the device and of the type asked for, copied where that is allowed or asked for."""
    other_type = dtype is not None and dtype is not shared.dtype
    other_place = device is not None and require(device).type != shared.device.type
    if copy is False and other_place:
        raise refusal.value(
            f"can't alias tensor from device '{shared.device}' to '{device}'.",
            fix="leave out copy=False.",
        )
    if copy is False and other_type:
        raise refusal.value(
            f"can't alias tensor with dtype '{shared.dtype}' into dtype '{dtype}'.",
            "elements of another type need memory of their own",
            fix="leave out copy=False.",
        )
    if other_type or other_place:
        return shared.to(device=device, dtype=dtype)
    return shared.clone() if copy else shared


def _tracked(made: Any, obj: Any, requires_grad: bool | None) -> Any:
    """It with the history that it has, unless something else is asked for."""
    if requires_grad is None:
        if isinstance(obj, TensorBase) and obj.requires_grad:
            warn_user(
                "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad "
                "instead of False. Pass requires_grad=False to get a tensor without history.",
                UserWarning,
            )
        return made
    if not made.is_leaf:
        return made if requires_grad else made.detach()
    return made.requires_grad_(requires_grad)
