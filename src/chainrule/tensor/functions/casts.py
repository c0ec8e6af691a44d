"""Other types and devices: `to`, `type`, `float()` and their kin, as methods of Tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...ops import dtypes
from ...ops.layout import has_channels_last
from ..creation import PYTHON_TYPES
from ..device import device as device_class
from ..device import move, require
from ..layouts import memory_format as memory_format_class
from ..spellings import UNGIVEN, one_of
from .common import P, TensorBase

if TYPE_CHECKING:
    from ..annotations import DeviceLike, DType, MemoryFormat, Tensor

__all__ = ["METHODS", "cast_to"]


def cast_to(t: Any, target: dtypes.dtype, copy: bool = False) -> Any:
    """t in another type; t itself when it has it already (unless a copy is asked for)."""
    if t.dtype is target and not copy:
        return t
    if target.category < dtypes.FLOAT and t._rg and t._level is None:
        t = t.detach()  # integers have no gradient
    made = P.cast(t, dtype=target.np)
    if target in dtypes.STORED and made._level is None:
        from ..stored import stored

        return stored(made)
    return made


def to(self: Tensor, *args: Any, **named: Any) -> Tensor:
    """The tensor in another type, on another device, or like another tensor.

    to(dtype), to(device, dtype), to(other); keywords: dtype, device, other, non_blocking, copy,
    memory_format. The tensor itself is returned when nothing would change.
    """
    try:
        target, where, copy, layout = _to_arguments(args, named)
        result = self
        if where is not None and require(where).type != self.device.type:
            result = move(self, where)
            copy = False
        if target is not None and target is not result.dtype:
            result = cast_to(result, target)
        elif copy:
            result = cast_to(result, result.dtype, copy=True)
        return _laid(self, result, layout)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _laid(before: Any, result: Any, layout: Any) -> Any:
    """The result in a memory format; of a tensor that is itself the result only channels last is
    undone, and no other order in memory."""
    if layout is None or layout.name == "preserve_format":
        return result
    if result is before and layout.name == "contiguous_format":
        if result._a.__class__ is not np.ndarray or not has_channels_last(result._a):
            return result
    return result.contiguous(memory_format=layout)


def _to_arguments(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """(dtype, device, copy, memory format) of a call of `to`."""
    target, where = named.pop("dtype", None), named.pop("device", None)
    target = PYTHON_TYPES.get(target, target)
    other = named.pop("other", None)
    flags: list[Any] = []  # non_blocking, copy, in this order
    for a in args:
        if isinstance(a, dtypes.dtype):
            target = a
        elif isinstance(a, type) and a in PYTHON_TYPES:
            target = PYTHON_TYPES[a]
        elif isinstance(a, TensorBase):
            other = a
        elif isinstance(a, device_class | str) or (isinstance(a, int) and not isinstance(a, bool)):
            where = a
        elif a is not None:
            flags.append(a)
    if other is not None:
        target, where = other.dtype, other.device
    copy = named.pop("copy", flags[1] if len(flags) > 1 else False)
    named.pop("non_blocking", None)
    layout = named.pop("memory_format", None)
    wrong = [f for f in flags if not isinstance(f, bool)]
    if named or wrong or (target is not None and not isinstance(target, dtypes.dtype)):
        what = next(iter(named), None) or type(wrong[0] if wrong else target).__name__
        raise refusal.wrong_type(
            f"to() received an invalid combination of arguments: {what!r} is neither a dtype, a "
            "device nor a tensor",
            fix="to(dtype), to(device), to(device, dtype) or to(other).",
        )
    if layout is not None and not isinstance(layout, memory_format_class):
        raise TypeError(f"memory_format must be torch.memory_format, not {type(layout).__name__}")
    return target, where, copy, layout


def type_(
    self: Tensor, dtype: DType | None = None, non_blocking: bool = False, **kwargs: Any
) -> Any:
    """The name of the tensor's type, or the tensor in another type."""
    try:
        from ..legacy import TYPE_NAMES, dtype_of_type_name

        if dtype is None:
            place = "" if self.device.type == "cpu" else f"{self.device.type}."
            return f"torch.{place}{TYPE_NAMES[self.dtype.name]}"
        return cast_to(self, dtype_of_type_name(dtype))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def type_as(self: Tensor, other: Tensor = UNGIVEN, *, x2: Tensor = UNGIVEN) -> Tensor:
    """The tensor in another tensor's type."""
    return to(self, one_of("type_as", "other", other, x2))


def _named_cast(name: str, target: dtypes.dtype) -> Callable[..., Any]:
    def call(self: Tensor, memory_format: MemoryFormat | None = None) -> Tensor:
        try:
            return _laid(self, cast_to(self, target), memory_format)
        except PROBLEMS as problem:
            explain_here(problem)
            raise

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The tensor as {target.name}."
    return call


def cpu(self: Tensor, memory_format: MemoryFormat | None = None) -> Tensor:
    """The tensor on the CPU: itself."""
    return to(self, "cpu", memory_format=memory_format)


def _on(kind: str) -> Callable[..., Any]:
    def call(
        self: Tensor, device: DeviceLike | None = None, non_blocking: bool = False, **kwargs: Any
    ) -> Any:
        named = kind if device is None else device
        return to(self, f"{kind}:{named}" if isinstance(named, int) else named)

    call.__name__ = call.__qualname__ = kind
    call.__doc__ = f"The tensor on a {kind} device, which does not exist here: always an error."
    return call


_CASTS = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16, "chalf": dtypes.complex32, "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
    "bool": dtypes.bool_, "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16,
    "int": dtypes.int32, "long": dtypes.int64,
}  # fmt: skip

METHODS: dict[str, Callable[..., Any]] = {
    "to": to, "type": type_, "type_as": type_as, "cpu": cpu,
    **{name: _named_cast(name, target) for name, target in _CASTS.items()},
    **{kind: _on(kind) for kind in ("cuda", "xpu", "mtia", "hpu", "ipu")},
}  # fmt: skip
