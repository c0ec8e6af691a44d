"""Sharing memory with NumPy and, through DLPack, with any other array library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal, source
from ..autograd.accidents import explain_module
from ..autograd.levels import synced
from ..autograd.state import STATE, TRACE
from ..autograd.value import CONJ, TensorBase, expose, make
from ..ops import dtypes
from .leaf import want_grad
from .mapping import mapped_bytes
from .shown_memory import array_of_capsule

if TYPE_CHECKING:
    from .annotations import Buffer, DeviceLike, DType, Tensor


def readable_array(t: Any, what: str) -> np.ndarray:
    """The array behind a tensor whose values may be looked at, or an error that says why not."""
    if t._level is not None:
        if hasattr(t._level, "array"):
            return t._level.array(t, what)
        if t._level.kind == "vmap":
            t._level.item(t)
        return readable_array(synced(t)._a, what)
    if STATE.unusual & TRACE:
        STATE.trace.concrete(t, what)
    return t._a


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The array itself: memory is shared both ways."""
    if self._rg and STATE.grad_enabled and not force:
        raise refusal.runtime(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            why="NumPy cannot record what happens to the values, so gradients would be lost.",
        )
    if self._lazy and not force:
        bit = "conjugate" if self._lazy & CONJ else "negative"
        method = "resolve_conj" if self._lazy & CONJ else "resolve_neg"
        raise refusal.runtime(
            f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{method}().numpy() "
            "instead.",
            why="Its memory shows other values: what it shows is computed when it is read.",
        )
    array = readable_array(self, "numpy()")
    if self._lazy:
        return array.copy()
    if self.dtype is dtypes.bfloat16 and not force:
        raise refusal.wrong_type(
            "Got unsupported ScalarType BFloat16: NumPy has no such type",
            fix="x.float().numpy() converts it, x.numpy(force=True) gives ml_dtypes' array.",
        )
    expose(self)  # type: ignore[arg-type]
    return array


def __array__(self: Tensor, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
    recorded = self._rg and STATE.grad_enabled
    array = self.numpy(force=self.dtype is dtypes.bfloat16 and not recorded)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return array.astype(dtype)
    return array.copy() if copy else array


def __array_wrap__(
    self: Tensor, array: Any, context: Any = None, return_scalar: bool = False
) -> Any:
    """The result of a NumPy function of this tensor, as a tensor; bools as uint8, as PyTorch."""
    array = np.asarray(array)
    return make(array.astype(np.uint8) if array.dtype.kind == "b" else array)


def __array_ufunc__(self: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """A ufunc of NumPy on tensors: with history where one of them records, else as PyTorch."""
    from ..interop.numpy_functions import array_ufunc

    return array_ufunc(self, ufunc, method, inputs, options)


def __array_function__(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Another function of NumPy on tensors: with history where one of them records."""
    from ..interop.numpy_functions import array_function

    return array_function(func, types, args, kwargs)


def _check_strides(array: np.ndarray) -> None:
    if any(s < 0 for s in array.strides):
        raise refusal.value(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            f"strides are not currently supported. Its strides are {array.strides}",
            fix="pass array.copy().",
        )


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the array's own memory."""
    if not isinstance(array, np.ndarray):
        raise refusal.wrong_type(
            f"expected np.ndarray (got {type(array).__name__})",
            fix="torch.tensor(...) or torch.as_tensor(...) take any data.",
        )
    kind = dtypes.from_numpy_dtype(array.dtype)
    if array.dtype.byteorder not in "=|" and array.dtype != kind.np:
        raise refusal.value(
            "given numpy array has byte order different from the native byte order. Conversion "
            "between byte orders is currently not supported.",
            fix="pass array.astype(array.dtype.newbyteorder('=')).",
        )
    _check_strides(array)
    if any(s % array.itemsize for s in array.strides):
        raise refusal.value(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy "
            f"array to reallocate the memory: strides {array.strides}, {array.itemsize} bytes per "
            "element"
        )
    if not array.flags.writeable:
        source.warn_user(
            "The given NumPy array is not writable, and PyTorch does not support non-writable "
            "tensors. Writing to the tensor is an error; pass array.copy() to avoid this warning.",
        )
    plain = array.view(np.ndarray) if type(array) is not np.ndarray else array
    made = make(dtypes.canonical(plain), inference=STATE.inference)
    if kind in dtypes.STORED:
        from .stored import stored

        return stored(made)
    return made


def frombuffer(buffer: Buffer, *, dtype: DType, count: int = -1, offset: int = 0,
               requires_grad: bool = False) -> Tensor:  # fmt: skip
    """A 1-dim tensor on the memory of an object with the buffer protocol."""
    view = memoryview(buffer)  # type: ignore[arg-type]
    if view.nbytes == 0 or count == 0:
        raise refusal.value(f"both buffer length ({view.nbytes}) and count ({count}) must not be 0")
    if not 0 <= offset < view.nbytes:
        raise refusal.value(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({view.nbytes} bytes) minus 1"
        )
    if count < 0 and (view.nbytes - offset) % dtype.itemsize:
        raise refusal.value(
            f"buffer length ({view.nbytes - offset} bytes) after offset ({offset} bytes) must be a "
            f"multiple of element size ({dtype.itemsize})"
        )
    if count > 0 and offset + count * dtype.itemsize > view.nbytes:
        raise refusal.value(
            f"requested buffer length ({count} * {dtype.itemsize} bytes) after offset ({offset} "
            f"bytes) must not be greater than actual buffer length ({view.nbytes} bytes)"
        )
    made = from_numpy_quietly(np.frombuffer(buffer, np.uint8))
    stop = None if count < 0 else offset + count * dtype.itemsize
    made._a = made._a[offset:stop].view(dtype.np)
    return want_grad(made, requires_grad)


def from_file(
    filename: str, shared: bool | None = None, size: int = 0, *, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """A tensor of `size` elements on the memory of a file; what is written to it reaches the file
    if `shared`, which is made or lengthened as needed then."""
    kind = (dtype or dtypes.get_default_dtype()).np
    memory = mapped_bytes(filename, shared, size * kind.itemsize)
    return want_grad(make(memory.view(kind)), requires_grad)


def from_numpy_quietly(array: np.ndarray) -> Any:
    """from_numpy without the warning about memory that must not be written."""
    return make(array)


# ---- the array API standard ----------------------------------------------------------------------

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def __array_namespace__(self: Tensor, *, api_version: str | None = None) -> Any:
    """The functions of the Python array API standard for tensors: `chainrule.array_api`."""
    if api_version is not None and api_version not in _VERSIONS:
        raise refusal.value(
            f"array API version {api_version!r} is not supported; these are: {', '.join(_VERSIONS)}"
        )
    from chainrule import array_api

    return array_api


def to_device(self: Tensor, device: DeviceLike, /, *, stream: object = None) -> Any:
    """The tensor on a device, as the array API standard writes it."""
    if stream is not None:
        raise refusal.value(f"stream must be None on the CPU, not {stream!r}")
    return self.to(device)


# ---- DLPack --------------------------------------------------------------------------------------


def __dlpack__(self: Tensor, *, stream: object = None, **options: Any) -> Any:
    """A capsule with this tensor's memory, for another library's `from_dlpack`."""
    if stream not in (None, -1):
        raise refusal.of_kind(BufferError, f"stream should be None on the CPU, not {stream!r}")
    if tuple(options.get("dl_device") or (1, 0)) != (1, 0):
        raise refusal.of_kind(
            BufferError,
            f"a tensor on the CPU cannot be exported to the device {options['dl_device']}",
        )
    if self._lazy:
        bit = "conjugate" if self._lazy & CONJ else "negative"
        raise refusal.of_kind(
            BufferError,
            f"Can't export tensors with the {bit} bit set",
            why="Their memory shows other values.",
            fix="resolve_conj() or resolve_neg() first.",
        )
    if self._rg:
        raise refusal.of_kind(
            BufferError, "Can't export tensors that require gradient, use tensor.detach()"
        )
    if self.dtype in dtypes.STORED or self.dtype is dtypes.bfloat16:
        raise refusal.of_kind(BufferError, f"NumPy cannot export {self.dtype.name} by DLPack")
    array = readable_array(self, "DLPack export")
    expose(self)  # type: ignore[arg-type]
    return array.__dlpack__(**options)


def __dlpack_device__(self: Tensor) -> tuple[int, int]:
    """(kind, number) of the device, as DLPack counts them: the CPU."""
    return readable_array(self, "DLPack export").__dlpack_device__()


def to_dlpack(tensor: Any) -> Any:
    """A capsule with the tensor's memory."""
    return tensor.__dlpack__()


class _Capsule:
    """A bare capsule as an object with the DLPack methods."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def from_dlpack(
    ext_tensor: object, *, device: DeviceLike | None = None, copy: bool | None = None
) -> Tensor:
    """A tensor on the memory of another library's array (or of a capsule)."""
    if type(ext_tensor).__name__ != "PyCapsule" and not hasattr(ext_tensor, "__dlpack__"):
        raise refusal.wrong_type(
            "from_dlpack takes an array with a __dlpack__ method, or a capsule of one, not "
            f"{ext_tensor!r:.60} of type {type(ext_tensor).__name__}"
        )
    half = isinstance(ext_tensor, TensorBase) and ext_tensor.dtype is dtypes.bfloat16  # type: ignore[attr-defined]
    if half and not ext_tensor._rg:  # type: ignore[attr-defined]
        # NumPy's exporter has no name for it; between tensors there is nothing to translate.
        array = readable_array(ext_tensor, "DLPack import")
    else:
        given: Any = ext_tensor if hasattr(ext_tensor, "__dlpack__") else _Capsule(ext_tensor)
        array = array_of_capsule(given, ext_tensor)
        dtypes.from_numpy_dtype(array.dtype)
        _check_strides(array)
    made = make(array.copy() if copy else array)
    if device is not None:
        made = made.to(device)
    return made


METHODS = {
    "numpy": numpy, "__array__": __array__, "__array_wrap__": __array_wrap__,
    "__array_ufunc__": __array_ufunc__, "__array_function__": __array_function__,
    "__dlpack__": __dlpack__, "__dlpack_device__": __dlpack_device__,
    "__array_namespace__": __array_namespace__, "to_device": to_device,
}  # fmt: skip


explain_module(globals(), "frombuffer", "from_file", "from_numpy", "from_dlpack", "to_dlpack")
