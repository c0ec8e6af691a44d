"""The functions that pickles of tensors name: what `torch._utils._rebuild_...` do, done here.

They are called with whatever a file contains, so each looks at its arguments first. None of them
can do more than make a tensor on memory that was read from the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.value import TensorBase, make
from ..ops import dtypes
from ..sparse import sparse_coo_tensor
from ..tensor import layouts
from ..tensor.meta import meta_tensor
from ..tensor.parameter import Parameter
from ..tensor.storage import TypedStorage, UntypedStorage
from ..tensor.tensor import Tensor
from .storages import UnfilledStorage


class BadContent(ValueError):
    """A file says something that cannot be true."""


def _strided(storage: Any, dtype: Any, offset: Any, size: Any, stride: Any) -> Any:
    """A tensor on a storage; NumPy refuses views that would leave it."""
    if not isinstance(storage, UntypedStorage) or not isinstance(dtype, dtypes.dtype):
        raise BadContent(f"a tensor is built on {type(storage).__name__}, not on a storage")
    numbers = (offset, *size, *stride)
    if not all(isinstance(n, int) and n >= 0 for n in numbers) or len(size) != len(stride):
        raise BadContent(f"a tensor has size {size}, stride {stride} and offset {offset}")
    if storage.is_meta:
        return meta_tensor(tuple(size), dtype.np)
    width = dtype.itemsize
    memory = storage.array.reshape(-1).view(np.uint8)
    try:
        if 0 in size:  # NumPy takes no strides for these
            nothing = memory[offset * width : offset * width]
            return make(nothing.view(dtype.np).reshape(size))
        steps = [step * width for step in stride]
        return make(np.ndarray(tuple(size), dtype.np, memory, offset * width, steps))
    except (TypeError, ValueError, OverflowError):
        raise BadContent(
            f"a tensor of size {list(size)}, stride {list(stride)} and offset {offset} does not "
            f"fit into its storage of {memory.nbytes} bytes"
        ) from None


def _rebuild_tensor(storage: Any, offset: Any, size: Any, stride: Any) -> Any:
    if not isinstance(storage, TypedStorage):
        raise BadContent("a tensor without a type is built on a storage without a type")
    return _strided(storage, storage.dtype, offset, size, stride)


def _rebuild_tensor_v2(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any,
                       backward_hooks: Any, metadata: Any = None) -> Any:  # fmt: skip
    made = _flagged(_rebuild_tensor(storage, offset, size, stride), storage, metadata)
    return made.requires_grad_() if requires_grad else made


def _rebuild_tensor_v3(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any,
                       backward_hooks: Any, dtype: Any, metadata: Any = None) -> Any:  # fmt: skip
    made = _flagged(_strided(storage, dtype, offset, size, stride), storage, metadata)
    return made.requires_grad_() if requires_grad else made


def _flagged(made: Any, storage: Any, metadata: Any) -> Any:
    """What PyTorch keeps as flags beside the values, lazy conjugation and negation, done now."""
    flags = metadata if isinstance(metadata, dict) else {}
    changed = made
    for flag, change in (("conj", np.conjugate), ("neg", np.negative)):
        if flags.get(flag) and not made.is_meta:
            before, changed = changed._a, make(change(changed._a))
            if isinstance(storage, UnfilledStorage):
                storage.later.append(lambda f=change, a=before, out=changed._a: f(a, out=out))
    return changed


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """A sparse tensor in coordinate form; indices that leave its shape are refused."""
    if layout is not layouts.sparse_coo:
        raise BadContent(f"there are no sparse tensors in the layout {layout!r} here")
    indices, values, size = data[:3]
    if not isinstance(indices, TensorBase) or not isinstance(values, TensorBase):
        raise BadContent("a sparse tensor is built on other things than tensors")
    made = sparse_coo_tensor(indices, values, tuple(size), check_invariants=True)
    return made.coalesce() if len(data) > 3 and data[3] else made


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Any:
    if not isinstance(dtype, dtypes.dtype) or not all(isinstance(n, int) for n in size):
        raise BadContent(f"a meta tensor has type {dtype!r} and size {size!r}")
    made = meta_tensor(tuple(size), dtype.np)
    return made.requires_grad_() if requires_grad else made


def _rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Any:
    if not isinstance(data, TensorBase):
        raise BadContent(f"a parameter is built on {type(data).__name__}, not on a tensor")
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any,
                                  state: Any) -> Any:  # fmt: skip
    made = _rebuild_parameter(data, requires_grad, backward_hooks)
    _set_attributes(made, state)
    return made


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """A tensor with attributes, or of a subclass."""
    if not any(func is known for known in REBUILDERS):
        raise BadContent(f"a tensor is rebuilt by {func!r}")
    if not (isinstance(new_type, type) and issubclass(new_type, TensorBase)):
        raise BadContent(f"a tensor is rebuilt as {new_type!r}")
    made = func(*args)
    if new_type is not Tensor and new_type is not type(made):
        made.__class__ = new_type
    if hasattr(type(made), "__setstate__") and new_type is not Tensor:
        made.__setstate__(state)
    else:
        _set_attributes(made, state)
    return made


def _set_attributes(made: Any, state: Any) -> None:
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict):
        state = {**(state[0] or {}), **state[1]}
    if not isinstance(state, dict):
        raise BadContent(f"the attributes of a tensor are a {type(state).__name__}")
    made.__dict__.update({str(k): v for k, v in state.items() if k != "_level"})


def _get_layout(name: Any) -> Any:
    found = getattr(layouts, str(name).removeprefix("torch."), None)
    if not isinstance(found, layouts.layout):
        raise BadContent(f"there is no layout {name!r}")
    return found


REBUILDERS = (
    _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_meta_tensor_no_storage,
    _rebuild_parameter, _rebuild_parameter_with_state, _rebuild_sparse_tensor,
)  # fmt: skip
