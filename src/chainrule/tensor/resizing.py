"""Changing what memory a tensor shows: `resize_`, `set_`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.dispatch import P
from ..autograd.inplace import bump, check_writable
from ..autograd.lazy import flagged, memory
from ..autograd.node import not_implemented
from ..autograd.record import live_node
from ..autograd.state import STATE
from ..autograd.value import ROOT, TensorBase, make
from ..ops.layout import address, as_writeable_as, contiguous_strides, flat_owner
from .layouts import required_order
from .legacy import WORDS
from .storage import UntypedStorage
from .strides import strided_layouts

if TYPE_CHECKING:
    from .annotations import Ints, MemoryFormat, Tensor


def resize_(
    self: Tensor, *sizes: Ints, size: Ints | None = None, memory_format: MemoryFormat | None = None
) -> Tensor:
    """Give the tensor another shape in place; new elements are uninitialised."""
    try:
        from .creation import blank_array, shape_of

        shape = shape_of(sizes if size is None else (size,), "resize_")
        check_resizable(self, shape)
        order = None
        if memory_format is not None and memory_format.name != "preserve_format":
            order = required_order(memory_format, shape)
        same_order = order is None or self.is_contiguous(memory_format)  # type: ignore[arg-type]
        if tuple(self.shape) == shape and same_order:
            return self
        if self.is_meta:
            replace_array(self, blank_array(shape, self._a.dtype))
        else:
            flags = self._lazy
            if order is None:
                replace_array(self, resized(memory(self), shape))
            else:
                laid = resized(memory(self), tuple(shape[d] for d in order))
                replace_array(self, laid.transpose(np.argsort(order)))
            if flags:
                flagged(self, flags)
        return self
    except PROBLEMS as problem:
        explain_here(problem)
        raise


_PLAIN_KINDS = ("meta", "stored")  # levels that are no transform's


def check_resizable(t: Any, shape: tuple[int, ...]) -> None:
    """Raise when a tensor may not get another shape."""
    if t._rg and not STATE.inference:
        raise refusal.runtime(
            "cannot resize variables that require grad",
            f"resize_({list(shape)}) of shape {list(t.shape)}",
            fix="resize x.detach(), or make a new tensor.",
        )
    if tuple(t.shape) != shape and t._level is not None and t._level.kind not in _PLAIN_KINDS:
        raise refusal.runtime(
            "cannot resize variables that has a forward grad, or that belong to a transform",
            f"resize_({list(shape)}) of shape {list(t.shape)}",
            fix="make a new tensor.",
        )


def resized(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The storage read in another shape; more memory is taken where it does not suffice."""
    count = int(np.prod(shape))
    whole = flat_owner(array)
    if whole is None:
        whole = array = np.ascontiguousarray(array)
    memory = whole.reshape(-1).view(np.uint8)
    start = address(array) - address(whole) if array.size else 0
    room = (memory.size - start) // array.itemsize
    if count <= room:
        part = memory[start : start + count * array.itemsize].view(array.dtype).reshape(shape)
        return as_writeable_as(array, part)
    grown = np.zeros(count, array.dtype)
    grown[:room] = memory[start : start + room * array.itemsize].view(array.dtype)
    return grown.reshape(shape)


def resize_as_(
    self: Tensor, the_template: Tensor, *, memory_format: MemoryFormat | None = None
) -> Tensor:
    """Give the tensor another tensor's shape in place."""
    return resize_(self, *the_template.shape, memory_format=memory_format)


def set_(
    self: Tensor, source: Tensor | None = None, storage_offset: int = 0, size: Ints | None = None,
    stride: Ints | None = None,
) -> Tensor:  # fmt: skip
    """Let the tensor show other memory: another tensor's, or a part of a storage.

    No derivative is defined for it: a gradient that reaches the tensor afterwards is an error.
    """
    recording = STATE.grad_enabled and (self._rg or getattr(source, "_rg", False))
    check_writable(self, "set_", recording)
    if recording and getattr(source, "_view", None) is not None:
        live_node(source)  # which a stale part of a split tensor does not have
    root = self if self._view is None else self._view[ROOT]
    replace_array(self, _memory_to_show(self, source, storage_offset, size, stride))
    if recording:
        for t in (root, self):
            t._node, t._rg = not_implemented("set_"), True
    return self


def _memory_to_show(t: Any, given: Any, offset: int, size: Any, stride: Any) -> np.ndarray:
    if given is None:
        return np.zeros(0, t._a.dtype)
    have = getattr(given, "dtype", t.dtype)  # a storage may have no type: then it is bytes
    if have is not t.dtype:
        raise refusal.runtime(
            f"Could not set tensor of type {WORDS[have.name].lower()} to a tensor of type "
            f"{WORDS[t.dtype.name].lower()}",
            "set_",
            fix=f"convert it first, with .to({t.dtype!r}).",
        )
    if isinstance(given, TensorBase) and size is None:
        return given._a
    storage = UntypedStorage(given._a) if isinstance(given, TensorBase) else given
    flat = make(storage.bytes().view(t._a.dtype))
    shape = tuple(flat.shape) if size is None else tuple(size)
    steps = contiguous_strides(shape) if stride is None else tuple(stride)
    inner, outer = strided_layouts(flat, shape, steps, offset)
    return P.as_strided(flat, inner=inner, outer=outer)._a


def replace_array(t: Any, array: np.ndarray) -> None:
    """Another array under the same tensor; earlier values saved for backward are then stale."""
    t._a = array
    t._view = None
    bump(t, "set_")


METHODS = {"resize_": resize_, "resize_as_": resize_as_, "set_": set_}
