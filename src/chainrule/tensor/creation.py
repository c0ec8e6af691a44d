"""Making tensors: from data, filled with a value, and the old constructors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index as as_int
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.dispatch import P
from ..autograd.state import STATE, TRACE
from ..autograd.value import TensorBase, make
from ..ops import allocation, dtypes
from ..ops.halves import COMPLEX_HALF
from ..ops.layout import window
from .device import _DEFAULT as DEFAULT_DEVICE
from .device import place
from .from_data import array_from_data
from .interop import from_numpy
from .layouts import contiguous_format, preserve_format, required_order
from .leaf import want_grad
from .overriding import notice
from .scalars import number_for

if TYPE_CHECKING:
    from .annotations import DeviceLike, DType, Ints, Layout, MemoryFormat, Number, Operand, Tensor

_MANY = 1 << 20  # elements along one dimension from which the product is looked at


def shape_of(size: Any, name: str = "size") -> tuple[int, ...]:
    """`f(2, 3)` or `f((2, 3))` as a tuple of ints."""
    if len(size) == 1 and isinstance(size[0], tuple | list):
        size = tuple(size[0])
    try:
        shape = tuple(d if d.__class__ is int else as_int(d) for d in size)
    except TypeError:
        wrong = next(d for d in size if not hasattr(d, "__index__"))
        raise refusal.wrong_type(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(wrong).__name__}: {wrong!r}"
        ) from None
    for d in shape:
        if d < 0:
            if name == "zeros":  # PyTorch has a message of its own there
                raise refusal.runtime(
                    f"zeros: Dimension size must be non-negative. Got {list(shape)}"
                )
            raise refusal.runtime(
                f"Trying to create tensor with negative dimension {d}: {list(shape)}", f"{name}"
            )
        if d > _MANY:
            refuse_overflow(shape, name)
    return shape


def refuse_overflow(shape: tuple[int, ...], name: str) -> None:
    """Raise when no memory could hold so many elements."""
    if math.prod(shape) >= 1 << 60:
        raise refusal.runtime(
            f"Storage size calculation overflowed with sizes={list(shape)}", f"{name}"
        )


def finish(array: np.ndarray, requires_grad: bool = False, device: Any = None) -> Any:
    """Wrap a new array as the creation functions do."""
    return finish_tensor(make(array, inference=STATE.inference), requires_grad, device)


def finish_tensor(t: Any, requires_grad: bool = False, device: Any = None) -> Any:
    """A new tensor on its device, tracked when asked for."""
    kind = t._a.dtype.kind
    if kind == COMPLEX_HALF or (t._a.dtype.itemsize == 1 and kind not in "biu"):
        from .stored import stored

        t = stored(t)
    if device is not None or DEFAULT_DEVICE.stack:
        t = place(t, DEFAULT_DEVICE.stack[-1] if device is None else device)
    if requires_grad:
        if t.dtype.category < dtypes.FLOAT:
            raise refusal.runtime(
                "Only Tensors of floating point and complex dtype can require gradients. This one "
                f"is {t.dtype!r}",
                fix="pass dtype=torch.float32, or leave out requires_grad.",
            )
        want_grad(t, True)
    return t


def on_meta(device: Any) -> bool:
    """Whether a new tensor is to have no data."""
    if device is None:
        return bool(DEFAULT_DEVICE.stack) and DEFAULT_DEVICE.stack[-1].type == "meta"
    return device == "meta" or getattr(device, "type", "") == "meta"


def new_array(make_array: Any, shape: tuple[int, ...], dtype: Any, device: Any) -> np.ndarray:
    """A new array, or a stand-in that takes no memory when the tensor is to have no data."""
    if on_meta(device):
        return blank_array(shape, dtype)
    allocation.expect(shape, dtype.itemsize)
    return make_array(shape, dtype)


def write_new(out: Any, t: Any, requires_grad: bool, device: Any) -> Any:
    """A new tensor, or its values in the given `out`."""
    made = finish_tensor(t, requires_grad, device)
    if out is None:
        return made
    from .outputs import write_out

    return write_out("creation", made, out, ())


def whole(value: Any, parameter: str, name: str) -> int:
    """A count: an int, or what counts as one; a fraction is no count."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise refusal.wrong_type(
            f"{name}() received an invalid combination of arguments - argument '{parameter}' must "
            f"be int, not {type(value).__name__}"
        )
    return int(value.__index__())


def wanted_for(out: Any, dtype: Any) -> Any:
    """The type of a new tensor: what is asked for, which must be that of a given `out`."""
    if out is None or not isinstance(out, TensorBase):
        return np_dtype(dtype)
    have = out.dtype  # type: ignore[attr-defined]
    if dtype is not None and dtype is not have:
        raise refusal.runtime(
            f"dtype {dtype!r} does not match dtype of out parameter ({have!r})",
            fix="leave out dtype=, or give an out= of that type.",
        )
    return have.np


def np_dtype(dtype: Any, default: dtypes.dtype | None = None) -> Any:
    """The NumPy dtype for a dtype argument; None means the default float type."""
    if dtype is None:
        return (default or dtypes.get_default_dtype()).np
    if isinstance(dtype, dtypes.dtype):
        return dtype.np
    if dtype in PYTHON_TYPES:
        return PYTHON_TYPES[dtype].np
    raise refusal.wrong_type(f"argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")


# Python's own types as dtype arguments: float is double precision here, as in PyTorch.
PYTHON_TYPES = {
    float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128,
}  # fmt: skip


def _unwrap(item: Any) -> Any:
    if not isinstance(item, TensorBase):
        return None
    if STATE.unusual & TRACE:
        STATE.trace.concrete(item, "a tensor made of tensors")
    return item._a


def tensor(
    data: object, *, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A new tensor with a copy of the data.

    >>> import chainrule as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    try:
        if isinstance(data, TensorBase):
            plain = data._level is None and not STATE.unusual & TRACE
            array = data._a.copy() if plain else data.detach().clone()  # type: ignore[attr-defined]
            if isinstance(array, TensorBase) and data._level is not None:
                return array  # type: ignore[return-value]
            if isinstance(array, TensorBase):  # part of a trace
                made: Any = array if dtype is None else array.to(dtype)  # type: ignore[attr-defined]
                return want_grad(made, requires_grad)
            if dtype is not None:
                array = array.astype(np_dtype(dtype))
            return finish(array, requires_grad, device)
        if dtype in dtypes.STORED:  # rounded as a cast rounds
            return tensor(data, device=device).to(dtype)
        wanted = None if dtype is None else np_dtype(dtype)
        if STATE.unusual & TRACE:
            if STATE.trace.follows(data):
                own = dtypes.scalar_dtype(data).np
                kind = own if wanted is None else wanted
                whole = (
                    kind == own == np.int64
                    and -(2**63) <= STATE.trace.value_of_number(data) < 2**63
                )
                if kind.kind == "f" or whole:
                    # An op takes the number, which may be another one next time.
                    return P.mul(make(np.ones((), kind)), data).requires_grad_(requires_grad)
            data = STATE.trace.plain(data)
        if isinstance(data, np.ndarray):
            allocation.expect(data.shape, data.itemsize)
        array = array_from_data(data, wanted, dtypes.get_default_dtype().np, unwrap=_unwrap)
        return finish(array, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def as_tensor(data: object, dtype: DType | None = None, device: DeviceLike | None = None) -> Tensor:
    """A tensor that shares the data's memory where it can."""
    try:
        if isinstance(data, TensorBase):
            return data if dtype is None and device is None else data.to(device=device, dtype=dtype)  # type: ignore[attr-defined]
        if isinstance(data, np.ndarray) and not any(s < 0 for s in data.strides):
            made = from_numpy(data)
            return made if dtype is None and device is None else made.to(device=device, dtype=dtype)
        return tensor(data, dtype=dtype, device=device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


# ---- filled --------------------------------------------------------------------------------------


def zeros(
    *size: Ints, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    out: Tensor | None = None, **named: Any,
) -> Tensor:  # fmt: skip
    """A tensor of zeros."""
    try:
        wanted = np_dtype(dtype) if out is None else wanted_for(out, dtype)
        array = new_array(np.zeros, shape_of(_size(size, named), "zeros"), wanted, device)
        return into(out, array, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def ones(
    *size: Ints, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    out: Tensor | None = None, **named: Any,
) -> Tensor:  # fmt: skip
    """A tensor of ones."""
    try:
        wanted = np_dtype(dtype) if out is None else wanted_for(out, dtype)
        array = new_array(np.ones, shape_of(_size(size, named), "ones"), wanted, device)
        return into(out, array, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def empty(
    *size: Ints, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    memory_format: MemoryFormat | None = None, out: Tensor | None = None, **named: Any,
) -> Tensor:  # fmt: skip
    """A tensor whose values are whatever the memory held."""
    try:
        shape = shape_of(_size(size, named), "empty")
        wanted = np_dtype(dtype) if out is None else wanted_for(out, dtype)
        if on_meta(device):
            return into(out, blank_array(shape, wanted), requires_grad, device)
        allocation.expect(shape, wanted.itemsize)
        made = formatted(unset(), shape, wanted, memory_format)
        return into(out, made, requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def unset() -> Any:
    """What makes memory of unknown contents; a trace wants the same ones in every call."""
    return np.zeros if STATE.unusual & TRACE else np.empty


def _size(size: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The sizes given by position or as size=."""
    if not named:
        return size
    if set(named) != {"size"} or size:
        wrong = next(iter(set(named) - {"size"}), "size")
        raise refusal.wrong_type(f"got an unexpected keyword argument {wrong!r}")
    return (tuple(named["size"]),)


def formatted(make_array: Any, shape: tuple[int, ...], dtype: Any, memory_format: Any) -> Any:
    """A new array whose dimensions lie in a format's order."""
    if memory_format is None or memory_format in (contiguous_format, preserve_format):
        return make_array(shape, dtype)
    order = required_order(memory_format, shape)
    made = make_array([shape[d] for d in order], dtype)
    return made.transpose([order.index(d) for d in range(len(shape))])


def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: DType | None = None,
    layout: Layout | None = None, device: DeviceLike | None = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of uninitialised memory with the given strides."""
    try:
        if len(size) != len(stride):
            raise refusal.runtime(
                f"dimensionality of sizes ({len(size)}) must match dimensionality of strides "
                f"({len(stride)})"
            )
        wanted = np_dtype(dtype)
        extent = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
        memory = unset()(max(extent, 1), wanted)
        steps = tuple(s * wanted.itemsize for s in stride)
        return finish(window(memory, tuple(size), steps), requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def empty_permuted(
    size: Sequence[int], physical_layout: Sequence[int], *, dtype: DType | None = None,
    layout: Layout | None = None, device: DeviceLike | None = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of uninitialised memory whose dimensions lie in memory in the given order."""
    try:
        if sorted(physical_layout) != list(range(len(size))):
            raise refusal.runtime(
                "Number of dimensions in size does not match the length of the physical_layout, or "
                f"it is no order of them: {list(physical_layout)} for {len(size)} dimensions"
            )
        made = unset()([size[d] for d in physical_layout], np_dtype(dtype))
        order = list(physical_layout)
        return finish(
            made.transpose([order.index(d) for d in range(len(size))]), requires_grad, device
        )
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def full(
    size: Ints, fill_value: Operand, *, dtype: DType | None = None,
    device: DeviceLike | None = None, requires_grad: bool = False, layout: Layout | None = None,
    pin_memory: bool = False, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """A tensor filled with one value."""
    try:
        if isinstance(fill_value, TensorBase | np.number):
            fill_value = fill_value.item()  # type: ignore[attr-defined]
        if not isinstance(fill_value, int | float | complex | np.number | np.bool_):
            raise refusal.wrong_type(
                "full(): argument 'fill_value' (position 2) must be Number, not "
                f"{type(fill_value).__name__}"
            )
        kind = dtypes.scalar_dtype(fill_value) if dtype is None and out is None else dtype
        wanted = wanted_for(out, kind)
        fill_value = number_for(fill_value, dtypes.from_numpy_dtype(wanted))
        size = (size,) if isinstance(size, int) else size
        shape = shape_of(tuple(size), "full")
        fill = lambda shape, dtype: np.full(shape, fill_value, dtype)  # noqa: E731
        return into(out, new_array(fill, shape, wanted, device), requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def into(out: Any, array: np.ndarray, requires_grad: bool, device: Any) -> Any:
    """A new array as a tensor, or its values in the given `out`."""
    return write_new(out, make(array, inference=STATE.inference), requires_grad, device)


def eye(
    n: int, m: int | None = None, *, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The identity matrix."""
    try:
        for name, count in (("n", n), ("m", n if m is None else m)):
            if whole(count, name, "eye") < 0:
                raise refusal.runtime(f"{name} must be greater or equal to 0, got {count}", "eye")
        return into(out, np.eye(n, m, dtype=wanted_for(out, dtype)), requires_grad, device)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def blank_array(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """One zero, repeated: an array of any shape in a few bytes."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def scalar_tensor(
    s: Number, *, dtype: DType | None = None, layout: Layout | None = None, **kwargs: Any
) -> Tensor:
    """A 0-dim tensor in the default float type."""
    try:
        return tensor(s, dtype=dtype or dtypes.get_default_dtype(), **kwargs)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def legacy_constructor(cls: type, *args: Any, **kwargs: Any) -> Any:
    """`Tensor(2, 3)` is empty of that shape, `Tensor([...])` holds the data as default floats."""
    try:
        from .legacy import constructed

        if len(args) == 1 and isinstance(args[0], TensorBase):
            made = make(args[0]._a)
            made._v = args[0]._v
        else:
            made = constructed(args, dtypes.get_default_dtype(), kwargs)
        if cls is not type(made):
            made.__class__ = cls
            notice(cls)
        return made
    except PROBLEMS as problem:
        explain_here(problem)
        raise
