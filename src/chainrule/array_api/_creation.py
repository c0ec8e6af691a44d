"""Creation functions."""

from __future__ import annotations

from typing import Any

import numpy as np

import chainrule as torch

from ..autograd import refusal
from . import _types as types
from ._types import array


def _placed(made: Any, device: Any) -> Any:
    return made if device is None else made.to(device)


def _shape(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
    """An array of numbers, nested sequences, buffers or another array; memory is shared where that
    is possible and `copy` is not True."""
    if isinstance(obj, torch.Tensor):
        changes = dtype is not None and obj.dtype != dtype
        if copy is False and changes:
            raise _copy_needed(f"the array is {obj.dtype}, not {dtype}")
        made = obj if dtype is None else obj.to(dtype)
        return _placed(made.clone() if copy and not changes else made, device)
    if copy is False:
        shared = _shared(obj)
        if shared is None or (dtype is not None and shared.dtype != dtype):
            raise _copy_needed(f"a {type(obj).__name__} is no memory of that type to share")
        return _placed(shared, device)
    if copy is None and isinstance(obj, np.ndarray):
        shared = _shared(obj)
        if shared is not None:
            return _placed(shared if dtype is None else shared.to(dtype), device)
    return torch.tensor(obj, dtype=dtype, device=device)


def _copy_needed(why: str) -> ValueError:
    return refusal.value(
        f"asarray(copy=False): cannot be done without a copy, {why}",
        fix="copy=None copies only when it must.",
    )


def _shared(obj: Any) -> Any:
    """An array on the memory of an object with the buffer protocol, or None."""
    if isinstance(obj, int | float | complex | list | tuple | str | bytes):
        return None
    try:
        view = obj if isinstance(obj, np.ndarray) else np.asarray(memoryview(obj))
        if not view.flags.writeable:
            return None
        return torch.from_numpy(view)
    except (TypeError, ValueError, BufferError):
        return None


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Any:
    """Evenly spaced values in the half-open interval [start, stop)."""
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        whole = all(isinstance(number, int) for number in (start, stop, step))
        dtype = types.int64 if whole else torch.get_default_dtype()
    if step == 0:
        raise refusal.value("arange: step must not be 0")
    if types.is_kind(dtype, "integral") and all(isinstance(n, int) for n in (start, stop, step)):
        wide = max(abs(start), abs(stop), abs(step)) >= 1 << 62  # NumPy counts in 64 bits
        counted = range(start, stop, step) if wide else np.arange(start, stop, step, dtype=np.int64)
        values = np.array(counted, dtype.np)
    else:
        values = np.arange(start, stop, step).astype(dtype.np)
    return _placed(torch.from_numpy(values), device)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array whose values are not set."""
    return torch.empty(_shape(shape), dtype=dtype, device=device)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of the shape of another whose values are not set."""
    return torch.empty_like(array(x, "empty_like"), dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Any:
    """A matrix with ones on the k-th diagonal."""
    kind = dtype or torch.get_default_dtype()
    values = np.eye(n_rows, n_cols, k=k, dtype=kind.np)
    return _placed(torch.from_numpy(values), device)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    """An array on the memory of another library's array."""
    return torch.from_dlpack(x, device=device, copy=copy)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array with one value everywhere."""
    return torch.full(_shape(shape), fill_value, dtype=dtype or _type_of(fill_value), device=device)


def _type_of(value: Any) -> Any:
    """The type a number gets on its own."""
    return value.dtype if isinstance(value, torch.Tensor) else torch.tensor(value).dtype


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of the shape (and type) of another with one value everywhere."""
    return torch.full_like(array(x, "full_like"), fill_value, dtype=dtype, device=device)


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None,
    endpoint: Any = True,
) -> Any:  # fmt: skip
    """`num` evenly spaced values from start to stop."""
    if dtype is None:
        whole = isinstance(start, complex) or isinstance(stop, complex)
        dtype = types.default_complex() if whole else torch.get_default_dtype()
    values = np.linspace(start, stop, num, endpoint=bool(endpoint))
    return _placed(torch.from_numpy(values.astype(dtype.np)), device)


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """Coordinate arrays of a grid."""
    if indexing not in ("xy", "ij"):
        raise refusal.value(f'meshgrid: indexing must be "xy" or "ij", not {indexing!r}')
    if len({array(x, "meshgrid").dtype for x in arrays}) > 1:
        raise refusal.value(
            f"meshgrid: all arrays must be of one type, got {[x.dtype for x in arrays]}"
        )
    return tuple(torch.meshgrid(*arrays, indexing=indexing)) if arrays else ()


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of ones."""
    return torch.ones(_shape(shape), dtype=dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of ones of the shape (and type) of another."""
    return torch.ones_like(array(x, "ones_like"), dtype=dtype, device=device)


def tril(x: Any, /, *, k: int = 0) -> Any:
    """The lower triangles of matrices."""
    return torch.tril(_matrices(x, "tril"), k)


def triu(x: Any, /, *, k: int = 0) -> Any:
    """The upper triangles of matrices."""
    return torch.triu(_matrices(x, "triu"), k)


def _matrices(x: Any, name: str) -> Any:
    if array(x, name).ndim < 2:
        raise refusal.value(
            f"{name}: expected a matrix or a stack of them, got shape {tuple(x.shape)}"
        )
    return x


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of zeros."""
    return torch.zeros(_shape(shape), dtype=dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of zeros of the shape (and type) of another."""
    return torch.zeros_like(array(x, "zeros_like"), dtype=dtype, device=device)
