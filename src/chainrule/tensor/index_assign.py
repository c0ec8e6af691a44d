"""x[index] = value: in place, with history where gradients are recorded.

A basic index is a copy into a view; index tensors write only the elements they name, unless the
write is recorded. `indexing.py` splits the index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.dispatch import P
from ..autograd.inplace import (
    _type_word,
    assign,
    begin_at_root,
    bump,
    check_apart,
    check_writable,
    inplace,
)
from ..autograd.state import STATE
from ..autograd.value import PLAIN, TensorBase, make
from ..ops import dtypes
from ..ops.schema import TABLE
from .indexing import (
    expect_places,
    index_error,
    is_basic,
    quick_split,
    refuse_out_of_bounds,
    result_shape,
    spelled_out,
    split,
)
from .scalars import converted, number_for

_FULL = slice(None)


def setitem(self: Any, index: Any, value: Any) -> None:
    """self[index] = value, in place and with history."""
    try:
        if not _set_plainly(self, index, value):
            _set(self, index, value)
    except IndexError as problem:
        raise index_error(self, index, problem) from None


def _set_plainly(self: Any, index: Any, value: Any) -> bool:
    """The usual x[index] = a tensor or number that nobody records: whether it was one, and is done.

    The index is basic, a mask of x's shape, or has one tensor of numbers per dimension it names.
    """
    if self.__class__ not in PLAIN or self._view is not None or STATE.unusual or STATE.levels:
        return False
    if STATE.stand_in is not None or self._lazy or self._v is None or not self.ndim:
        return False
    if STATE.grad_enabled and self._rg:
        return False
    target = self._a
    if not target.flags.c_contiguous or not target.flags.writeable:
        return False
    if value.__class__ in PLAIN:
        array = value._a
        if value._lazy or value._v is self._v or array.dtype is not target.dtype:
            return False
        if STATE.grad_enabled and value._rg:
            return False
    elif value.__class__ in (float, int) and target.dtype.char in "fdl":
        array = np.asarray(number_for(value, self.dtype), target.dtype)
    else:
        return False
    done = _written_basic(target, index, array)
    if done or (done is None and _written_places(self, index, array)):
        bump(self, "copy_" if done else "__setitem__")
        return True
    return False


def _written_basic(target: np.ndarray, index: Any, array: np.ndarray) -> bool | None:
    """Write at ints, slices and None: whether it is done; None for another index."""
    key = index if index.__class__ is tuple else (index,)
    if not is_basic(key):
        return None
    window = target[(*spelled_out(key, target.ndim), ...)]
    if window.shape != array.shape and array.ndim:
        return False
    np.copyto(window, array)
    return True


def _written_places(self: Any, index: Any, array: np.ndarray) -> bool:
    """Write at a mask or at tensors of numbers: whether it was such an index, and is done."""
    target = self._a
    if index.__class__ in PLAIN and index._a.dtype.kind == "b":
        if index._a.shape != target.shape or array.ndim or index._v is self._v:
            return False
        np.copyto(target, array, where=index._a)
        return True
    found = quick_split(self, index if index.__class__ is tuple else (index,))
    if found is None or found[0] is not self:
        return False
    _, tensors, dims = found
    shape = tensors[0]._a.shape
    for t in tensors:
        if t._a.shape != shape or t._v is self._v:
            return False
    if array.ndim and (array.shape != shape or len(dims) != target.ndim):
        return False
    key: list[Any] = [_FULL] * target.ndim
    for d, t in zip(dims, tensors, strict=True):
        key[d] = t._a
    try:
        target[tuple(key)] = array
    except IndexError:  # the long way says what is wrong; nothing is written
        return False
    return True


def _set(self: Any, index: Any, value: Any) -> None:
    value = as_value(self, value)
    if isinstance(index, TensorBase) and index._level is not None and not value.ndim:
        if index.dtype is dtypes.bool_ and index.ndim <= self.ndim:  # type: ignore[attr-defined]
            # Under a transform the number of places is not known; to choose needs no number.
            shape = (*index.shape, *((1,) * (self.ndim - index.ndim)))  # type: ignore[attr-defined]
            value = P.cast(value, dtype=self.dtype.np)
            begin_at_root(self)
            assign(self, P.masked_fill(self, index.reshape(shape), value), "__setitem__")  # type: ignore[attr-defined]
            return
    view, tensors, dims = split(self, index)
    if not tensors:
        copy_into(P.alias(self) if view is self else view, value)
        return
    if value.dtype is not view.dtype and value.numel() == 1 and _is_one_mask(index):
        value = converted(value, view.dtype)  # one value fills where a mask holds
    if value.dtype is not view.dtype:
        raise refusal.runtime(
            f"Index put requires the source and destination dtypes match, got {view.dtype!r} for "
            f"the destination and {value.dtype!r} for the source.",
            fix=f"convert the value with .to({view.dtype!r}).",
        )
    value = without_lead(value, result_shape(view, tensors, dims))
    if view._level is None:  # a level asks its own tensors when it writes
        recording = STATE.grad_enabled and (view._rg or value._rg) and view.dtype.category >= 2
        check_writable(view, "__setitem__", recording)  # also where the index names no element
    check_apart(view, (value, *tensors), "__setitem__", touching=True)
    try:
        put(view, tensors, dims, value)
    except Exception:
        refuse_out_of_bounds(self, index, view, tensors, dims)
        if 0 not in result_shape(view, tensors, dims):
            raise
        return
    expect_places(view, tensors, dims)


def _is_one_mask(index: Any) -> bool:
    """Whether an index has one tensor or list, and that one is of bools."""
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [part for part in parts if isinstance(part, TensorBase | np.ndarray | list)]
    if len(arrays) != 1:
        return False
    mask = arrays[0]
    if isinstance(mask, list):
        return all(isinstance(m, bool) for m in mask)
    return str(mask.dtype).split(".")[-1] in ("bool", "uint8")  # type: ignore[attr-defined]


def put(view: Any, tensors: list[Any], dims: tuple[int, ...], value: Any) -> None:
    """view[tensors] = value, in place: only the indexed elements are touched where none records."""
    plain = all(t._level is None for t in (view, value, *tensors)) and not STATE.unusual
    plain = plain and not STATE.levels
    if plain and not (STATE.grad_enabled and (view._rg or value._rg)):
        if view._a.flags.writeable:
            key: list[Any] = [slice(None)] * view.ndim
            for d, t in zip(dims, tensors, strict=True):
                key[d] = t._a
            view._a[tuple(key)] = value._a
            bump(view, "__setitem__")
            return
    params = {"dims": dims, "accumulate": False}
    inplace(TABLE["index_put"], view, (value, *tensors), params, "__setitem__")


def without_lead(value: Any, shape: tuple[int, ...]) -> Any:
    """The value without leading dimensions of length 1 that the target lacks; else an error."""
    have = tuple(value.shape)
    while len(have) > len(shape) and have[0] == 1:
        have = have[1:]
    if have != tuple(value.shape):
        value = value.reshape(have)
    pairs = zip(reversed(have), reversed(shape), strict=False)
    if len(have) > len(shape) or any(a not in (1, b) for a, b in pairs):
        raise refusal.runtime(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        )
    return value


def copy_into(view: Any, value: Any) -> Any:
    """view.copy_(value)."""
    if value.dtype is not view.dtype:
        value = P.cast(value, dtype=view.dtype.np)
    shape = tuple(view.shape)
    if tuple(value.shape) != shape:
        have = tuple(value.shape)
        while len(have) > len(shape) and have[0] == 1:
            have = have[1:]
        _check_expands(have, shape)
        if have != tuple(value.shape):
            value = value.reshape(have)
        value = P.broadcast_to(value, shape=shape)
    return assign(view, value, "copy_")


def _check_expands(have: tuple[int, ...], want: tuple[int, ...]) -> None:
    if len(have) > len(want):
        raise refusal.runtime(
            f"expand: the number of sizes provided ({len(want)}) must be greater or equal to the "
            f"number of dimensions in the tensor ({len(have)}): a value of shape {list(have)} does "
            f"not fit into {list(want)}"
        )
    lead = len(want) - len(have)
    for d, n in enumerate(have):
        if n not in (1, want[lead + d]):
            raise refusal.runtime(
                f"The expanded size of the tensor ({want[lead + d]}) must match the existing size "
                f"({n}) at non-singleton dimension {lead + d}.  Target sizes: {list(want)}.  "
                f"Tensor sizes: {list(have)}"
            )


def as_value(self: Any, value: Any) -> Any:
    """What is assigned, as a tensor: tensors and Python numbers only, as in PyTorch."""
    if isinstance(value, TensorBase):
        return value
    if not isinstance(value, int | float | complex | np.number | np.bool_):
        raise refusal.wrong_type(
            f"can't assign a {_type_name(value)} to a {tensor_type(self)}",
            fix="make it a tensor with torch.as_tensor(...).",
        )
    half = self.dtype.itemsize == 2 and self.dtype.is_floating_point
    if not half or isinstance(value, complex):  # in a half, what is too large is infinite
        value = number_for(value, self.dtype)
    return make(np.asarray(value).astype(self.dtype.np))


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def tensor_type(x: Any) -> str:
    """torch.FloatTensor and its relatives: the old name of a tensor's type."""
    return f"torch.{_type_word(x.dtype.np)}Tensor"
