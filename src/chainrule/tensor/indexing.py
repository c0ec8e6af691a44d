"""Indexing: a user's index, split into a basic part (a view) and integer tensors.

PyTorch applies ints, slices, None and Ellipsis first and then the tensors; NumPy lets an int count
as an advanced index, which moves dimensions. So the basic part is taken first, with full slices
where tensors stand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import source
from ..autograd.dispatch import P
from ..autograd.inplace import assign, inplace
from ..autograd.value import PLAIN, TensorBase, make
from ..ops.schema import TABLE

_BASIC = {int, slice, type(None), type(Ellipsis)}


def getitem(self: Any, index: Any) -> Any:
    """self[index]: a view for ints, slices, None and Ellipsis, else a copy."""
    kind = index.__class__
    if kind is int or kind is slice:
        if kind is slice:
            check_slice(index)
        return P.slice_view(self, index=(index,))
    if kind is tuple:
        if all(i.__class__ in _BASIC for i in index):
            return P.slice_view(self, index=basic(index, self.ndim))
    elif index is None or index is Ellipsis:
        return P.slice_view(self, index=basic((index,), self.ndim))
    view, tensors, dims = split(self, index)
    if not tensors:
        return view
    return P.index_get(view, *tensors, dims=dims)


def setitem(self: Any, index: Any, value: Any) -> None:
    """self[index] = value, in place and with history."""
    view, tensors, dims = split(self, index)
    value = _value_like(self, value)
    if not tensors:
        if view is self:
            view = P.alias(self)
        copy_into(view, value)
        return
    value = _fit_value(view, value, tensors, dims)
    params = {"dims": dims, "accumulate": False}
    inplace(TABLE["index_put"], view, (value, *tensors), params, "__setitem__")


def copy_into(view: Any, value: Any) -> Any:
    """view.copy_(value)."""
    if value.dtype is not view.dtype:
        value = value.to(view.dtype)
    if tuple(value.shape) != tuple(view.shape):
        shape = tuple(value.shape)
        while len(shape) > view.ndim and shape[0] == 1:
            shape = shape[1:]
        if shape != tuple(value.shape):
            value = value.reshape(shape)
        try:
            value = P.broadcast_to(value, shape=tuple(view.shape))
        except (ValueError, RuntimeError):
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast "
                f"to indexing result of shape {list(view.shape)}\n  at {source.here(3)}"
            ) from None
    return assign(view, value, "copy_")


def _value_like(self: Any, value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, np.ndarray):
        return make(value)
    return make(np.asarray(value, self.dtype.np))


def _fit_value(view: Any, value: Any, tensors: Any, dims: Any) -> Any:
    if value.dtype is not view.dtype:
        if value.ndim:
            raise RuntimeError(
                f"Index put requires the source and destination dtypes match, got "
                f"{view.dtype!r} for the destination and {value.dtype!r} for the source.\n"
                f"  at {source.here(3)}\n  Fix: convert the value with .to({view.dtype!r})."
            )
        value = value.to(view.dtype)
    return value


def check_slice(s: slice) -> None:
    if s.step is not None and s.step <= 0:
        raise ValueError(
            f"step must be greater than zero, got {s.step}\n  at {source.here(3)}\n"
            "  Fix: use .flip(dim) for a reversed tensor."
        )


def basic(index: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    """A basic index with the Ellipsis spelled out and slices checked."""
    used = 0
    ellipsis = None
    for k, i in enumerate(index):
        if i is Ellipsis:
            ellipsis = k
        elif i is not None:
            used += 1
            if i.__class__ is slice:
                check_slice(i)
    if ellipsis is None:
        return index
    filler = (slice(None),) * max(ndim - used, 0)
    rest = tuple(i for i in index[ellipsis + 1 :] if i is not Ellipsis)
    return index[:ellipsis] + filler + rest


def split(self: Any, index: Any) -> tuple[Any, list[Any], tuple[int, ...]]:
    """(view after the basic part, index tensors, their dimensions in that view)."""
    items = list(index) if isinstance(index, tuple) else [index]
    if isinstance(index, list) and _is_legacy_tuple(index):
        items = list(index)
    items = [_normalise(i) for i in items]
    used = sum(_dims_used(i) for i in items)
    if used > self.ndim:
        raise IndexError(
            f"too many indices for tensor of dimension {self.ndim}: the index uses {used}\n"
            f"  at {source.here(3)}"
        )
    at = next((k for k, i in enumerate(items) if i is Ellipsis), None)
    if at is not None:
        items[at : at + 1] = [slice(None)] * (self.ndim - used)
        items = [i for i in items if i is not Ellipsis]
    plan, tensors, dims = _plan(self, items)
    trivial = all(p.__class__ is slice and p == slice(None) for p in plan)
    view = self if trivial else P.slice_view(self, index=tuple(plan))
    return view, tensors, tuple(dims)


def _plan(self: Any, items: list[Any]) -> tuple[list[Any], list[Any], list[int]]:
    plan: list[Any] = []
    tensors: list[Any] = []
    dims: list[int] = []
    dim = source_dim = 0
    for i in items:
        if isinstance(i, TensorBase):
            if i.dtype.name == "bool":  # type: ignore[attr-defined]
                _check_mask(self, i, source_dim)
                if i.ndim == 0:  # type: ignore[attr-defined]
                    plan.append(None)
                    tensors.append(make(np.flatnonzero(i._a)))
                    dims.append(dim)
                    dim += 1
                    continue
                for part in np.nonzero(i._a):
                    tensors.append(make(part))
                    dims.append(dim)
                    plan.append(slice(None))
                    dim += 1
                    source_dim += 1
                continue
            tensors.append(_checked_index(self, i, source_dim))
            dims.append(dim)
            plan.append(slice(None))
        else:
            plan.append(i)
        if i is None:
            dim += 1
        elif isinstance(i, int):
            source_dim += 1
        else:
            dim += 1
            source_dim += 1
    return plan, tensors, dims


def _checked_index(self: Any, i: Any, dim: int) -> Any:
    if i.dtype.category != 1:
        raise IndexError(
            "tensors used as indices must be long, int, byte or bool tensors, got "
            f"{i.dtype!r}\n  at {source.here(4)}\n  Fix: convert it with .long()."
        )
    size = self.shape[dim]
    if i._level is None and i._a.__class__ is np.ndarray and i._a.size:
        low, high = int(i._a.min()), int(i._a.max())
        if low < -size or high >= size:
            bad = high if high >= size else low
            raise IndexError(
                f"index {bad} is out of bounds for dimension {dim} with size {size}\n"
                f"  at {source.here(4)}"
            )
    return i if i.dtype.name == "int64" else i.to(_int64())


def _int64() -> Any:
    from ..ops import dtypes

    return dtypes.int64


def _check_mask(self: Any, mask: Any, dim: int) -> None:
    for k, n in enumerate(mask.shape):
        if dim + k >= self.ndim or self.shape[dim + k] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {k} does not match the shape "
                f"of the indexed tensor {list(self.shape)} at index {dim + k}\n"
                f"  at {source.here(5)}"
            )


def _normalise(i: Any) -> Any:
    if i.__class__ in _BASIC:
        if i.__class__ is slice:
            check_slice(i)
            parts = (i.start, i.stop, i.step)
            return slice(*(None if p is None else int(p) for p in parts))
        return i
    if isinstance(i, TensorBase):
        if i.__class__ in PLAIN and i.ndim == 0 and i.dtype.category == 1:  # type: ignore[attr-defined]
            return int(i._a)
        return i
    if isinstance(i, bool | np.bool_):
        return make(np.asarray(bool(i)))
    if isinstance(i, int | np.integer):
        return int(i)
    if isinstance(i, np.ndarray | list | tuple | range):
        array = np.asarray(i)
        return make(array if array.size or array.dtype.kind in "iub" else array.astype(np.int64))
    if hasattr(i, "__index__"):
        return i.__index__()
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(i).__name__})\n  at {source.here(4)}"
    )


def _dims_used(i: Any) -> int:
    if i is None or i is Ellipsis:
        return 0
    if isinstance(i, TensorBase) and i.dtype.name == "bool":  # type: ignore[attr-defined]
        return i.ndim  # type: ignore[attr-defined]
    return 1


def _is_legacy_tuple(index: list[Any]) -> bool:
    """A short list that holds slices or tensors counts as a tuple, as NumPy once had it."""
    return (
        len(index) <= 32
        and any(
            isinstance(i, slice | TensorBase | list | tuple) or i is None or i is Ellipsis
            for i in index
        )
        and not all(isinstance(i, list | tuple) for i in index)
    )
