"""Making tensors: from data, filled, ranges, `*_like`, `new_*`, and the old constructors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..autograd import source
from ..autograd.state import STATE
from ..autograd.value import PLAIN, TensorBase, make
from ..ops import dtypes
from .from_data import array_from_data


def shape_of(size: tuple[Any, ...], name: str = "size") -> tuple[int, ...]:
    """`f(2, 3)` or `f((2, 3))` as a tuple of ints."""
    if len(size) == 1 and isinstance(size[0], tuple | list):
        size = tuple(size[0])
    shape = tuple(int(d) if d.__class__ is not int else d for d in size)
    for d in shape:
        if d < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {d}: {list(shape)}\n"
                f"  at {source.here(3)}"
            )
    return shape


def finish(array: np.ndarray, requires_grad: bool = False, device: Any = None) -> Any:
    """Wrap a new array as the creation functions do."""
    t = make(array, inference=STATE.inference)
    if device is not None:
        from .device import place

        t = place(t, device)
    if requires_grad:
        t.requires_grad_()
    return t


def np_dtype(dtype: Any, default: dtypes.dtype | None = None) -> Any:
    """The NumPy dtype for a dtype argument; None means the default float type."""
    if dtype is None:
        return (default or dtypes.get_default_dtype()).np
    if isinstance(dtype, dtypes.dtype):
        return dtype.np
    if dtype in (float, int, bool, complex):
        return dtypes.scalar_dtype(dtype(0)).np if dtype is not float else np.dtype("float64")
    raise TypeError(f"dtype must be torch.dtype, not {type(dtype).__name__}")


def _unwrap(item: Any) -> Any:
    return item._a if isinstance(item, TensorBase) else None


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:  # fmt: skip
    """A new tensor with a copy of the data.

    >>> import chainrule as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    if isinstance(data, TensorBase):
        array = data._a.copy() if data._level is None else data.detach().clone()  # type: ignore[attr-defined]
        if isinstance(array, TensorBase):
            return array
        if dtype is not None:
            array = array.astype(np_dtype(dtype))
        return finish(array, requires_grad, device)
    wanted = None if dtype is None else np_dtype(dtype)
    array = array_from_data(data, wanted, dtypes.get_default_dtype().np, unwrap=_unwrap)
    return finish(array, requires_grad, device)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """A tensor that shares the data's memory where it can."""
    if isinstance(data, TensorBase):
        return data if dtype is None and device is None else data.to(device=device, dtype=dtype)  # type: ignore[attr-defined]
    if isinstance(data, np.ndarray) and (dtype is None or np_dtype(dtype) == data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(array: np.ndarray) -> Any:
    """A tensor on the array's own memory."""
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"expected np.ndarray (got {type(array).__name__})\n  at {source.here(2)}\n"
            "  Fix: torch.tensor(...) or torch.as_tensor(...) take any data."
        )
    dtypes.from_numpy_dtype(array.dtype)
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            f"strides are not currently supported: strides {array.strides}\n"
            f"  at {source.here(2)}\n  Fix: pass array.copy()."
        )
    return make(array)


# ---- filled ----------------------------------------------------------------------------------------


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
          layout: Any = None, pin_memory: bool = False, out: Any = None) -> Any:  # fmt: skip
    """A tensor of zeros."""
    return _into(out, np.zeros(shape_of(size), np_dtype(dtype)), requires_grad, device)


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
         layout: Any = None, pin_memory: bool = False, out: Any = None) -> Any:  # fmt: skip
    """A tensor of ones."""
    return _into(out, np.ones(shape_of(size), np_dtype(dtype)), requires_grad, device)


def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
          layout: Any = None, pin_memory: bool = False, memory_format: Any = None,
          out: Any = None) -> Any:  # fmt: skip
    """A tensor whose values are whatever the memory held."""
    return _into(out, np.empty(shape_of(size), np_dtype(dtype)), requires_grad, device)


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
         requires_grad: bool = False, layout: Any = None, pin_memory: bool = False,
         out: Any = None) -> Any:  # fmt: skip
    """A tensor filled with one value."""
    if isinstance(fill_value, TensorBase):
        fill_value = fill_value.item()  # type: ignore[attr-defined]
    wanted = np_dtype(dtype) if dtype is not None else dtypes.scalar_dtype(fill_value).np
    size = (size,) if isinstance(size, int) else size
    return _into(out, np.full(shape_of(tuple(size)), fill_value, wanted), requires_grad, device)


def _into(out: Any, array: np.ndarray, requires_grad: bool, device: Any) -> Any:
    made = finish(array, requires_grad, device)
    if out is None:
        return made
    from .api import write_out

    return write_out("creation", made, out, ())


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, layout: Any = None, out: Any = None) -> Any:  # fmt: skip
    """The identity matrix."""
    return _into(out, np.eye(n, m, dtype=np_dtype(dtype)), requires_grad, device)


def arange(*args: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
           layout: Any = None, out: Any = None, **named: Any) -> Any:  # fmt: skip
    """Numbers from start (default 0) to end (excluded) by step (default 1)."""
    values = [a.item() if isinstance(a, TensorBase) else a for a in args]  # type: ignore[attr-defined]
    start, end, step = _range_bounds(values, named)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) / step < 0:
        raise RuntimeError(
            "upper bound and lower bound inconsistent with step sign: "
            f"arange({start}, {end}, {step})\n  at {source.here(2)}"
        )
    if dtype is None:
        whole = all(isinstance(v, int) for v in (start, end, step))
        dtype = dtypes.int64 if whole else dtypes.get_default_dtype()
    wanted = np_dtype(dtype)
    count = max(math.ceil((end - start) / step), 0)
    steps = np.arange(count)
    if wanted.kind in "iu":
        array = (start + steps * step).astype(wanted)
    else:
        array = (start + steps.astype(np.float64) * step).astype(wanted)
    return _into(out, array, requires_grad, device)


def _range_bounds(values: list[Any], named: dict[str, Any]) -> tuple[Any, Any, Any]:
    start, end, step = named.get("start", 0), named.get("end"), named.get("step", 1)
    if len(values) == 1:
        if "end" in named:
            start = values[0]
        else:
            end = values[0]
    elif len(values) >= 2:
        start, end = values[:2]
        step = values[2] if len(values) > 2 else step
    if end is None:
        raise TypeError("arange() needs an end: arange(end) or arange(start, end, step)")
    return start, end, step


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False, layout: Any = None, out: Any = None) -> Any:  # fmt: skip
    """`steps` numbers evenly spaced from start to end, both included."""
    start, end = (v.item() if isinstance(v, TensorBase) else v for v in (start, end))  # type: ignore[attr-defined]
    wanted = np_dtype(dtype)
    return _into(out, _spaced(start, end, steps, wanted), requires_grad, device)


def _spaced(start: Any, end: Any, steps: int, wanted: Any) -> np.ndarray:
    """Counted from both ends towards the middle, so that the last value is exactly `end`."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    work = wanted if wanted.kind in "fc" and wanted.itemsize >= 4 else np.dtype("float64")
    if steps == 1:
        return np.full(1, start, work).astype(wanted)
    one = work.type
    step = (one(end) - one(start)) / one(max(steps - 1, 1))
    k = np.arange(steps)
    front = one(start) + step * k.astype(work)
    back = one(end) - step * (steps - 1 - k).astype(work)
    return np.where(k < steps // 2, front, back).astype(wanted)


def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None,
             device: Any = None, requires_grad: bool = False, layout: Any = None,
             out: Any = None) -> Any:  # fmt: skip
    """Powers of `base` with evenly spaced exponents."""
    wanted = np_dtype(dtype)
    exponents = _spaced(start, end, steps, np.dtype("float64"))
    return _into(out, np.power(float(base), exponents).astype(wanted), requires_grad, device)


# ---- like another tensor -----------------------------------------------------------------------------


def _like(t: Any, dtype: Any) -> tuple[tuple[int, ...], Any]:
    return tuple(t.shape), t.dtype.np if dtype is None else np_dtype(dtype)


def zeros_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               layout: Any = None, memory_format: Any = None) -> Any:  # fmt: skip
    """Zeros of another tensor's shape and type."""
    return finish(np.zeros(*_like(input, dtype)), requires_grad, device or device_of(input))


def ones_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
              layout: Any = None, memory_format: Any = None) -> Any:  # fmt: skip
    """Ones of another tensor's shape and type."""
    return finish(np.ones(*_like(input, dtype)), requires_grad, device or device_of(input))


def empty_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               layout: Any = None, memory_format: Any = None) -> Any:  # fmt: skip
    """Uninitialised, of another tensor's shape and type."""
    return finish(np.empty(*_like(input, dtype)), requires_grad, device or device_of(input))


def full_like(input: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
              requires_grad: bool = False, layout: Any = None,
              memory_format: Any = None) -> Any:  # fmt: skip
    """One value in another tensor's shape and type."""
    if isinstance(fill_value, TensorBase):
        fill_value = fill_value.item()  # type: ignore[attr-defined]
    shape, wanted = _like(input, dtype)
    return finish(np.full(shape, fill_value, wanted), requires_grad, device or device_of(input))


def device_of(t: Any) -> Any:
    """The device argument that keeps a result where `t` is (None for the CPU)."""
    return "meta" if t._meta and t._meta.get("device") == "meta" else None


def new_zeros(self: Any, *size: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Zeros of the given shape in this tensor's type."""
    return zeros(*size, dtype=dtype or self.dtype, **kwargs)


def new_ones(self: Any, *size: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Ones of the given shape in this tensor's type."""
    return ones(*size, dtype=dtype or self.dtype, **kwargs)


def new_empty(self: Any, *size: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Uninitialised, of the given shape in this tensor's type."""
    return empty(*size, dtype=dtype or self.dtype, **kwargs)


def new_full(self: Any, size: Any, fill_value: Any, *, dtype: Any = None, **kwargs: Any) -> Any:
    """One value in the given shape and this tensor's type."""
    return full(size, fill_value, dtype=dtype or self.dtype, **kwargs)


def new_tensor(self: Any, data: Any, *, dtype: Any = None, **kwargs: Any) -> Any:
    """A copy of the data in this tensor's type."""
    return tensor(data, dtype=dtype or self.dtype, **kwargs)


def scalar_tensor(s: Any, *, dtype: Any = None, **kwargs: Any) -> Any:
    """A 0-dim tensor in the default float type."""
    return tensor(s, dtype=dtype or dtypes.get_default_dtype(), **kwargs)


def legacy_constructor(cls: type, *args: Any, **kwargs: Any) -> Any:
    """`Tensor(2, 3)` is empty of that shape, `Tensor([...])` holds the data, as float32."""
    kwargs.pop("device", None)
    if len(args) == 1 and not isinstance(args[0], int):
        data = args[0]
        if isinstance(data, TensorBase):
            made = make(data._a)
            made._v = data._v
        elif isinstance(data, tuple) and data.__class__.__name__ == "Size":
            made = empty(data)
        else:
            made = tensor(data, dtype=dtypes.get_default_dtype())
    else:
        made = empty(*args) if args else empty(0)
    if cls not in PLAIN or cls is not type(made):
        made.__class__ = cls
    return made
