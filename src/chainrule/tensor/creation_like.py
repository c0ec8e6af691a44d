"""Tensors made like another one: `zeros_like`, `x.new_zeros`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.state import STATE, TRACE
from ..autograd.value import TensorBase
from ..ops import dtypes
from ..ops.layout import dense_empty_like
from .creation import (
    blank_array,
    empty,
    empty_strided,
    finish,
    formatted,
    full,
    np_dtype,
    ones,
    tensor,
    unset,
    zeros,
)
from .layouts import preserve_format
from .scalars import number_for
from .signatures import respelled

if TYPE_CHECKING:
    from .annotations import DeviceLike, DType, Ints, Layout, MemoryFormat, Operand, Tensor


def _like(t: Any, dtype: Any, memory_format: Any) -> np.ndarray:
    """Uninitialised memory of a tensor's shape, by default with its order of dimensions."""
    wanted = t.dtype.np if dtype is None else np_dtype(dtype)
    if t.is_meta:
        return blank_array(tuple(t.shape), wanted)
    if memory_format not in (None, preserve_format):
        return formatted(unset(), tuple(t.shape), wanted, memory_format)
    if t._level is not None or t._a.flags.c_contiguous:
        return unset()(tuple(t.shape), wanted)
    made = dense_empty_like(t._a, wanted)
    if STATE.unusual & TRACE:
        made.fill(0)  # see unset
    return made


def _filled_like(t: Any, value: Any, dtype: Any, memory_format: Any, requires_grad: bool,
                 device: Any) -> Any:  # fmt: skip
    array = _like(t, dtype, memory_format)
    where = device if device is not None else ("meta" if t.is_meta else "cpu")
    if not t.is_meta or device is not None:
        if t.is_meta:
            array = array.copy()
        if value is not None:
            array.fill(value)
    return _belonging(finish(array, requires_grad, where), t)


def _belonging(made: Any, t: Any) -> Any:
    """A new tensor that is one for each example, where the tensor it was made for is."""
    return made if t._level is None else t._level.new_like(made, t)


@respelled
def zeros_like(
    input: Tensor, *, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:  # fmt: skip
    """Zeros of another tensor's shape and type."""
    try:
        return _filled_like(input, 0, dtype, memory_format, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@respelled
def ones_like(
    input: Tensor, *, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:  # fmt: skip
    """Ones of another tensor's shape and type."""
    try:
        return _filled_like(input, 1, dtype, memory_format, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@respelled
def empty_like(
    input: Tensor, *, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:  # fmt: skip
    """Uninitialised, of another tensor's shape and type."""
    try:
        return _filled_like(input, None, dtype, memory_format, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@respelled
def full_like(
    input: Tensor, fill_value: Operand, *, dtype: DType | None = None,
    device: DeviceLike | None = None, requires_grad: bool = False, layout: Layout | None = None,
    pin_memory: bool = False, memory_format: MemoryFormat | None = None,
) -> Tensor:  # fmt: skip
    """One value in another tensor's shape and type."""
    try:
        if isinstance(fill_value, TensorBase):
            fill_value = fill_value.item()  # type: ignore[attr-defined]
        wanted = input.dtype if dtype is None else dtypes.from_numpy_dtype(np_dtype(dtype))
        fill_value = number_for(fill_value, wanted)
        return _filled_like(input, fill_value, dtype, memory_format, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _here(self: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of a new_ method: type and device are this tensor's unless given."""
    if kwargs.get("dtype") is None:
        kwargs["dtype"] = self.dtype
    if kwargs.get("device") is None:
        kwargs["device"] = self.device
    return kwargs


def new_zeros(self: Tensor, *size: Ints, **kwargs: Any) -> Tensor:
    """Zeros of the given shape in this tensor's type."""
    try:
        return _belonging(zeros(*size, **_here(self, kwargs)), self)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def new_ones(self: Tensor, *size: Ints, **kwargs: Any) -> Tensor:
    """Ones of the given shape in this tensor's type."""
    try:
        return _belonging(ones(*size, **_here(self, kwargs)), self)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def new_empty(self: Tensor, *size: Ints, **kwargs: Any) -> Tensor:
    """Uninitialised, of the given shape in this tensor's type."""
    try:
        return _belonging(empty(*size, **_here(self, kwargs)), self)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def new_empty_strided(
    self: Tensor, size: Sequence[int], stride: Sequence[int], **kwargs: Any
) -> Tensor:
    """Uninitialised, with the given strides in this tensor's type."""
    try:
        return _belonging(empty_strided(size, stride, **_here(self, kwargs)), self)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def new_full(self: Tensor, size: Ints, fill_value: Operand, **kwargs: Any) -> Tensor:
    """One value in the given shape and this tensor's type."""
    try:
        return _belonging(full(size, fill_value, **_here(self, kwargs)), self)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def new_tensor(self: Tensor, data: object, **kwargs: Any) -> Tensor:
    """A copy of the data in this tensor's type."""
    try:
        return tensor(data, **_here(self, kwargs))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


METHODS = {
    f.__name__: f for f in (new_zeros, new_ones, new_empty, new_empty_strided, new_full, new_tensor)
}
