"""The memory behind tensors as objects: storages, of bytes and of elements of one type."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..autograd.inplace import refuse_overlap
from ..autograd.lazy import memory
from ..ops import dtypes
from ..ops.layout import address, as_writeable_as, flat_owner, owner
from .mapping import mapped_bytes

if TYPE_CHECKING:
    from .annotations import Tensor


class StorageBase:
    """What is a block of memory."""

    __slots__ = ()


class UntypedStorage(StorageBase):
    """The block of bytes that a tensor and its views share."""

    __slots__ = ("array", "is_meta", "seen")

    def __init__(self, array: Any = 0, is_meta: bool = False) -> None:
        if isinstance(array, int):
            array = np.zeros(array, np.uint8)
        self.seen = (
            array  # by the tensor that was asked: it may be read-only where its owner is not
        )
        self.array = owner(array)
        self.is_meta = is_meta

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return 0 if self.is_meta or not self.array.size else address(self.array)

    def nbytes(self) -> int:
        """The number of bytes."""
        # A meta tensor's memory is one element, shown everywhere.
        return self.seen.nbytes if self.is_meta else self.array.nbytes

    size = __len__ = nbytes

    def bytes(self) -> np.ndarray:
        """The bytes, as an array on the same memory."""
        whole = flat_owner(self.array)
        flat = (self.array if whole is None else whole).reshape(-1)
        return as_writeable_as(self.seen, flat.view(np.uint8))

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The bytes of a file as memory; what is written reaches the file only if `shared`."""
        return UntypedStorage(mapped_bytes(filename, shared, nbytes))

    @classmethod
    def from_buffer(
        cls,
        buffer: Any,
        byte_order: str = "native",
        count: int = -1,
        offset: int = 0,
        *,
        dtype: Any = None,
    ) -> UntypedStorage:
        """A copy of the bytes that a buffer holds, as elements of a type."""
        if isinstance(cls, TypedKind):
            return TypedKind.of_buffer(cls, buffer, byte_order, count, offset)
        if dtype is None:
            raise refusal.wrong_type(
                "from_buffer() needs the dtype of the elements",
                fix="from_buffer(buffer, dtype=torch.uint8)",
            )
        return UntypedStorage(_copied_elements(buffer, byte_order, count, offset, dtype))

    def __getitem__(self, index: Any) -> Any:
        """A byte, or a storage on a stretch of the same memory."""
        if not isinstance(index, slice):
            return self.bytes()[index].item()
        first, last, step = index.indices(len(self))
        if step != 1:
            raise refusal.runtime(
                f"Trying to slice with a step of {step}, but only a step of 1 is supported"
            )
        part = self.bytes()[first:last]
        # Through the buffer, so that the stretch begins a storage of its own.
        return UntypedStorage(np.frombuffer(part.data, np.uint8) if part.size else part.copy())

    def __setitem__(self, index: Any, value: Any) -> None:
        target = self.bytes()
        refuse_overlap(target)
        target[index] = value

    def tolist(self) -> list[int]:
        """The bytes as numbers."""
        return self.bytes().tolist()

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other.array is self.array

    def __hash__(self) -> int:
        return id(self.array)

    @property
    def device(self) -> Any:
        from .device import CPU, META

        return META if self.is_meta else CPU

    def is_shared(self) -> bool:
        """Whether other processes can see this memory."""
        from .sharing import block_of  # mmap is loaded when it is used

        return block_of(self.array) is not None

    def clone(self) -> UntypedStorage:
        """A copy with its own memory."""
        return UntypedStorage(self.array.copy())

    def untyped(self) -> UntypedStorage:
        """The same memory without the type."""
        return self

    def cpu(self) -> Any:
        """The storage itself: it is on the CPU."""
        return self

    def copy_(self, other: UntypedStorage, non_blocking: bool | None = None) -> Any:
        """Write what another storage of the same size holds into this one."""
        if len(other) != len(self):
            raise refusal.runtime(
                f"size does not match, self was {len(self)} bytes but src was {len(other)} bytes"
            )
        self[:] = other.bytes()
        return self

    def fill_(self, value: int) -> Any:
        """Write one value everywhere."""
        self[:] = value
        return self

    def element_size(self) -> int:
        """The number of bytes of an element."""
        return self.bytes().itemsize

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is locked for a GPU: it never is."""
        return False

    def get_device(self) -> int:
        """The number of the GPU it is on: -1, it is on the CPU."""
        return -1

    def resizable(self) -> bool:
        """Whether the memory is the storage's own."""
        return True

    is_cuda = is_hpu = is_sparse = is_sparse_csr = False

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def __repr__(self) -> str:
        return f"[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


class TypedStorage(UntypedStorage):
    """A storage whose elements have a type."""

    __slots__ = ("dtype",)

    def __init__(
        self,
        array: Any = None,
        dtype: Any = None,
        is_meta: bool = False,
        *,
        wrap_storage: UntypedStorage | None = None,
        device: Any = None,
        _internal: bool = False,
    ) -> None:
        if wrap_storage is not None:
            array, is_meta = wrap_storage.seen, wrap_storage.is_meta
        super().__init__(np.zeros(0, np.uint8) if array is None else array, is_meta)
        self.dtype = dtypes.float32 if dtype is None else dtype

    def __len__(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    size = __len__

    def bytes(self) -> np.ndarray:
        """The elements, as an array on the same memory."""
        return super().bytes().view(self.dtype.np)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> Any:
        """Not here: the type of the elements would have to be known."""
        raise refusal.not_implemented(
            "TypedStorage.from_file is not here",
            fix=f"torch.from_file({filename!r}, {shared}, {size}, dtype=...)",
        )

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise refusal.runtime(
                "slices are only supported in UntypedStorage.__getitem__",
                fix="storage.untyped()[start:stop], in bytes",
            )
        return super().__getitem__(index)

    def untyped(self) -> UntypedStorage:
        """The same memory without the type."""
        return UntypedStorage(self.seen, self.is_meta)

    def __repr__(self) -> str:
        rows = "".join(f" {v}\n" for v in self.tolist())
        return (
            f"{rows}[torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device}) of "
            f"size {len(self)}]"
        )


class TypedKind(type):
    """The classes `FloatStorage` and its kin: a storage belongs to one by the type it holds."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, other: Any) -> bool:
        return type(other) is TypedStorage and other.dtype is cls.dtype

    def __call__(cls, *args: Any) -> TypedStorage:
        """Of a length, of numbers, or of another storage's memory."""
        given = args[0] if args else 0
        if isinstance(given, UntypedStorage):
            return TypedStorage(given.bytes().view(np.uint8), cls.dtype, given.is_meta)
        if isinstance(given, int):
            return TypedStorage(np.zeros(given, cls.dtype.np), cls.dtype)
        return TypedStorage(np.asarray(list(given), cls.dtype.np), cls.dtype)

    def of_buffer(
        cls, buffer: Any, byte_order: str = "native", count: int = -1, offset: int = 0
    ) -> TypedStorage:
        """A copy of what a buffer (`bytes`, `bytearray`...) holds."""
        taken = _copied_elements(buffer, byte_order, count, offset, cls.dtype)
        return TypedStorage(taken, cls.dtype)

    def _from_buffer(
        cls, *args: Any, dtype: Any = None, device: Any = None, **kwargs: Any
    ) -> TypedStorage:
        """`from_buffer` under the name that PyTorch's own code calls."""
        return cls.of_buffer(*args, **kwargs)


def _copied_elements(
    buffer: Any, byte_order: str, count: int, offset: int, dtype: dtypes.dtype
) -> np.ndarray:
    """Elements of a type that a buffer holds, in the order of bytes of this machine."""
    if byte_order not in ("native", "little", "big"):
        raise refusal.value(
            f"invalid byte_order '{byte_order}' (expected 'native', 'little' or 'big')"
        )
    size = dtype.itemsize
    held = memoryview(buffer).cast("B")
    room = len(held) - offset
    if offset < 0 or room < 0 or (count < 0 and room % size) or count * size > room:
        raise refusal.value(
            f"buffer size ({len(held)}), offset ({offset}) and count ({count}) do not fit "
            f"elements of {size} bytes"
        )
    taken = np.frombuffer(held[offset : None if count < 0 else offset + count * size], np.uint8)
    if byte_order not in ("native", sys.byteorder):
        taken = taken.reshape(-1, size)[:, ::-1]
    return taken.copy().reshape(-1).view(dtype.np)


def _typed_kinds() -> dict[str, Any]:
    words = {
        "Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16",
        "Long": "int64", "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8",
        "Bool": "bool", "ComplexDouble": "complex128", "ComplexFloat": "complex64",
    }  # fmt: skip
    known = {d.name: d for d in dtypes.ALL}
    return {
        f"{word}Storage": TypedKind(
            f"{word}Storage",
            (TypedStorage,),
            {"__slots__": (), "dtype": known[name], "__doc__": f"Storages of {name}."},
        )
        for word, name in words.items()
    }


TYPED_KINDS = _typed_kinds()


def _cast(dtype: dtypes.dtype) -> Any:
    def cast(self: UntypedStorage) -> TypedStorage:
        return TypedStorage(self.bytes().astype(dtype.np), dtype, self.is_meta)

    cast.__doc__ = f"A copy with the elements as {dtype.name}; bytes count as uint8."
    return cast


def _add_casts() -> None:
    words = {
        "double": "float64", "float": "float32", "half": "float16", "bfloat16": "bfloat16",
        "long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8",
        "bool": "bool", "complex_double": "complex128", "complex_float": "complex64",
    }  # fmt: skip
    known = {d.name: d for d in dtypes.ALL}
    for word, name in words.items():
        cast = _cast(known[name])
        cast.__name__, cast.__qualname__ = word, f"UntypedStorage.{word}"
        setattr(UntypedStorage, word, cast)


_add_casts()


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The block of memory behind this tensor."""
    return UntypedStorage(_shown(self), self.is_meta)


def storage(self: Tensor) -> TypedStorage:
    """The block of memory behind this tensor, with its type."""
    return TypedStorage(_shown(self), self.dtype, self.is_meta)


def _shown(t: Any) -> np.ndarray:
    return t._a if t.is_meta else memory(t)


METHODS = {"_typed_storage": storage, "storage": storage, "untyped_storage": untyped_storage}


explain_module(globals(), "UntypedStorage", "TypedStorage")


def _load_from_bytes(b: bytes) -> Any:
    """A storage out of a pickle that PyTorch wrote: its bytes are a file of `torch.save`."""
    import importlib
    import io

    load = importlib.import_module("chainrule.serialization").load
    return load(io.BytesIO(b), weights_only=True)
