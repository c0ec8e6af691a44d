"""The functions that pickles of tensors name: what `torch._utils._rebuild_...` do, done here.

They are called with whatever a file contains, so each looks at its arguments first. None of them
can do more than make a tensor on memory that was read from the file.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..autograd.value import CONJ, NEG, TensorBase, make
from ..ops import dtypes
from ..sparse import sparse_coo_tensor
from ..tensor import layouts
from ..tensor.meta import meta_class, meta_tensor
from ..tensor.parameter import Parameter
from ..tensor.storage import TypedStorage, UntypedStorage
from ..tensor.stored import stored
from ..tensor.tensor import Tensor
from .builders import checked_lengths
from .limits import brief, current
from .storages import only_bools


class BadContent(ValueError):
    """A file says something that cannot be true."""


def _strided(storage: Any, dtype: Any, offset: Any, size: Any, stride: Any) -> Any:
    """A tensor on a storage, if all of it lies there.

    The first and the last byte are worked out here, in numbers that cannot overflow: NumPy's own
    check wraps around with large strides and lets everything pass on memory of no bytes.
    """
    if not isinstance(storage, UntypedStorage) or not isinstance(dtype, dtypes.dtype):
        raise BadContent(f"a tensor is built on {brief(storage)}, not on a storage")
    size, stride = checked_lengths(size), checked_lengths(stride)
    if type(offset) is not int or offset < 0 or len(size) != len(stride):
        raise BadContent(
            f"a tensor has size {brief(size)}, stride {brief(stride)} and offset {brief(offset)}"
        )
    _check_count(size, dtype)
    current().objects(32 * len(size))
    if storage.is_meta:
        return meta_tensor(size, dtype.np)
    width = dtype.itemsize
    memory = storage.array.reshape(-1).view(np.uint8)
    empty = 0 in size
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    end = offset if empty else last + 1
    steps = [step * width for step in stride]
    try:
        if end * width > memory.nbytes or any(step >= 1 << 63 for step in steps):
            raise ValueError
        if empty:  # NumPy takes no strides for these
            nothing = memory[offset * width : offset * width]
            return make(nothing.view(dtype.np).reshape(size))
        if dtype is dtypes.bool_ and getattr(storage, "dtype", None) is not dtype:
            _make_bools(memory)  # those of storages of bools were looked at when they were read
        return make(np.ndarray(size, dtype.np, memory, offset * width, steps))
    except (TypeError, ValueError, OverflowError):
        raise BadContent(
            f"a tensor of size {brief(list(size))}, stride {brief(list(stride))} and offset "
            f"{brief(offset)} does not fit into its storage of {memory.nbytes} bytes"
        ) from None


def _make_bools(memory: np.ndarray) -> None:
    """Bytes that get the type of bools here; those of old files are still to be read."""
    spending = current()
    spending.work(memory.nbytes >> 9)
    if spending.later is None:
        only_bools(memory, dtypes.bool_)
    else:
        spending.later.append(lambda: only_bools(memory, dtypes.bool_))


def _check_count(size: tuple[int, ...], dtype: dtypes.dtype) -> None:
    """A tensor can have as many bytes as an address can count, repeated elements included."""
    count = dtype.itemsize
    for n in size:
        count *= max(n, 1)
    if count >= 1 << 63:
        raise BadContent(f"a tensor has the size {brief(list(size))}")


def _rebuild_tensor(storage: Any, offset: Any, size: Any, stride: Any) -> Any:
    if not isinstance(storage, TypedStorage):
        raise BadContent("a tensor without a type is built on a storage without a type")
    return _strided(storage, storage.dtype, offset, size, stride)


def _rebuild_tensor_v2(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any,
                       backward_hooks: Any, metadata: Any = None) -> Any:  # fmt: skip
    made = _flagged(_rebuild_tensor(storage, offset, size, stride), metadata)
    return made.requires_grad_() if requires_grad else made


def _rebuild_tensor_v3(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any,
                       backward_hooks: Any, dtype: Any, metadata: Any = None) -> Any:  # fmt: skip
    made = _flagged(_strided(storage, dtype, offset, size, stride), metadata)
    if dtype in dtypes.STORED and made._level is None:
        made = stored(made)
        return made.requires_grad_() if requires_grad and dtype.is_complex else made
    return made.requires_grad_() if requires_grad else made


def _flagged(made: Any, metadata: Any) -> Any:
    """Conjugation and negation that are still to be done are flags beside the values."""
    told = metadata if isinstance(metadata, dict) else {}
    flags = (CONJ if told.get("conj") else 0) | (NEG if told.get("neg") else 0)
    if not flags or made.is_meta:
        return made
    allowed = "c" if flags & CONJ else "fcuiV"
    if made._a.dtype.kind not in allowed or made._level is not None:
        raise BadContent(f"a tensor of {made.dtype!r} is conjugated or negated")
    from ..tensor.lazy_views import flagged

    return flagged(made, flags)


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """A sparse tensor in coordinate form; indices that leave its shape are refused."""
    if layout is not layouts.sparse_coo:
        raise BadContent(f"there are no sparse tensors in the layout {brief(layout)} here")
    if not isinstance(data, tuple) or len(data) < 3:
        raise BadContent(f"a sparse tensor is built on {brief(data)}")
    indices, values, size = data[:3]
    if not isinstance(indices, TensorBase) or not isinstance(values, TensorBase):
        raise BadContent("a sparse tensor is built on other things than tensors")
    shape = checked_lengths(size)
    _check_count(shape, dtypes.from_numpy_dtype(values._a.dtype))
    if indices._a.ndim != 2 or indices._a.shape[0] > len(shape) or values._a.ndim == 0:
        raise BadContent(
            f"a sparse tensor of size {brief(list(shape))} has indices of size "
            f"{brief(list(indices._a.shape))}"
        )
    coalesced = len(data) > 3 and data[3] is True
    spending = current()
    spending.copies(2 * (indices._a.nbytes + values._a.nbytes) * (1 + coalesced))

    def checked() -> Any:
        found = sparse_coo_tensor(indices, values, shape, check_invariants=True)
        return found.coalesce() if coalesced else found

    made = checked()
    if spending.later is not None:  # the indices are still to be read, and to be checked then
        spending.later.append(lambda: made.__dict__.update(_coo=checked().__dict__["_coo"]))
    return made


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Any:
    if not isinstance(dtype, dtypes.dtype):
        raise BadContent(f"a meta tensor has the type {brief(dtype)}")
    shape = checked_lengths(size)
    _check_count(shape, dtype)
    made = meta_tensor(shape, dtype.np)
    return made.requires_grad_() if requires_grad else made


def _rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Any:
    if not isinstance(data, TensorBase):
        raise BadContent(f"a parameter is built on {brief(data)}, not on a tensor")
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any,
                                  state: Any) -> Any:  # fmt: skip
    made = _rebuild_parameter(data, requires_grad, backward_hooks)
    _set_attributes(made, state)
    return made


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """A tensor with attributes, or of a subclass."""
    if not any(func is known for known in REBUILDERS) or not isinstance(args, tuple):
        raise BadContent(f"a tensor is rebuilt by {brief(func)} from {brief(args)}")
    if not (isinstance(new_type, type) and issubclass(new_type, TensorBase)):
        raise BadContent(f"a tensor is rebuilt as {brief(new_type)}")
    made = func(*args)
    if new_type is not Tensor and not isinstance(made, new_type):
        if made.is_sparse:
            raise BadContent(f"a sparse tensor is rebuilt as {brief(new_type)}")
        made.__class__ = meta_class(new_type) if made.is_meta else new_type
    if hasattr(type(made), "__setstate__") and new_type is not Tensor:
        made.__setstate__(state)
    else:
        _set_attributes(made, state)
    return made


def _set_attributes(made: Any, state: Any) -> None:
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict):
        state = {**attributes(state[0] or {}), **attributes(state[1])}
    made.__dict__.update(attributes(state, Tensor))


# What tensors keep among their attributes for themselves: not for a file to set.
_OWN = frozenset(("_level", "_coo", "_bdim", "_tangent", "_twin_of", "_alias_node", "_returned",
                  "_device", "_rows_used", "_lazy", "_compressed", "_wraps", "_own_device",
                  "_own_layout", "_values_there", "_local_tensor", "_spec",
                  "_is_copy"))  # fmt: skip


_FLAGS = ("_is_param", "_is_buffer")  # what modules ask of every tensor


def attributes(state: Any, kind: type = object) -> dict[str, Any]:
    """The attributes that a file gives to an object; none hides what every `kind` can do."""
    if not isinstance(state, dict) or not all(type(name) is str for name in state):
        raise BadContent(f"the attributes of an object are {brief(state)}")
    current().objects(64 + 100 * len(state))
    current().work(sum(len(name) >> 8 for name in state))  # of equal names all letters are compared
    known = _names_of(kind)
    return {
        name: value
        for name, value in state.items()
        if name not in _OWN and name not in known and (name not in _FLAGS or type(value) is bool)
    }


@functools.cache
def _names_of(kind: type) -> frozenset[str]:
    return frozenset(dir(kind))


def _get_layout(name: Any) -> Any:
    known = type(name) is str and len(name) <= 40
    found = getattr(layouts, name.removeprefix("torch."), None) if known else None
    if not isinstance(found, layouts.layout):
        raise BadContent(f"there is no layout {brief(name)}")
    return found


REBUILDERS = (
    _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_meta_tensor_no_storage,
    _rebuild_parameter, _rebuild_parameter_with_state, _rebuild_sparse_tensor,
)  # fmt: skip
