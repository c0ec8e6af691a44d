"""The memory behind tensors: strides, offsets, addresses, and the storage objects."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here, explain_module
from ..autograd.dispatch import P
from ..autograd.inplace import bump, check_writable, refuse_overlap
from ..autograd.lazy import flagged, memory
from ..autograd.node import not_implemented
from ..autograd.record import live_node
from ..autograd.state import STATE
from ..autograd.value import CONJ, ROOT, TensorBase, make
from ..ops import dtypes
from ..ops.layout import address, as_writeable_as, contiguous_strides, extent, flat_owner, owner
from .layouts import contiguous_format, format_order, required_order
from .legacy import WORDS
from .mapping import mapped_bytes


def strides_of(t: Any) -> tuple[int, ...]:
    """Strides in elements, as PyTorch gives them.

    NumPy leaves the strides of empty arrays and of new dimensions of length 1 at zero.
    """
    a = memory(t)
    if not a.size and (t._view is None or 0 in a.strides):
        return contiguous_strides(a.shape)
    size = a.itemsize
    steps = [s // size for s in a.strides]
    for d in reversed(range(a.ndim)):
        if steps[d] == 0 and a.shape[d] == 1:
            steps[d] = steps[d + 1] * a.shape[d + 1] if d + 1 < a.ndim else 1
    return tuple(steps)


def stride(self: Any, dim: int | None = None, *, axis: int | None = None) -> Any:
    """How many elements lie between neighbours along each dimension, or along one."""
    try:
        dim = axis if dim is None else dim
        steps = strides_of(self)
        if dim is None:
            return steps
        from .functions.common import axis_of

        if not steps:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        return steps[axis_of(dim, self.ndim)]
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def offset_of(t: Any) -> int:
    """Elements between the start of the storage and the tensor's first element."""
    a = memory(t)
    whole = owner(a)
    return (address(a) - address(whole)) // a.itemsize if whole is not a else 0


def is_contiguous(self: Any, memory_format: Any = contiguous_format) -> bool:
    """Whether elements lie in memory in the order of a format (C order by default)."""
    try:
        a = memory(self)
        if memory_format is contiguous_format:
            return a.flags.c_contiguous
        order = format_order(memory_format, a.ndim)
        if order is None:
            return False
        return bool(a.transpose(order).flags.c_contiguous)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def contiguous(self: Any, memory_format: Any = contiguous_format) -> Any:
    """The tensor itself when its elements lie in the format's order, else a copy that does."""
    try:
        if memory_format is contiguous_format and self.is_contiguous():
            return self
        order = required_order(memory_format, tuple(self.shape))
        if self.is_contiguous(memory_format=memory_format):
            return self
        if memory_format is contiguous_format:
            return P.clone_contiguous(self)
        return P.clone_ordered(self, order=order)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def data_ptr(self: Any) -> int:
    """The address of the first element (0 for an empty tensor)."""
    a = memory(self)
    return address(a) if a.size else 0


# ---- raw layouts ---------------------------------------------------------------------------------


def strided_layouts(
    t: Any, size: tuple[int, ...], steps: tuple[int, ...], offset: int | None
) -> tuple[Any, Any]:
    """The layouts of t and of its `as_strided` view, checked against the storage."""
    if len(size) != len(steps):
        raise refusal.runtime(
            f"mismatch in length of strides and shape: {len(steps)} strides for {len(size)} sizes",
            "as_strided",
        )
    if any(s < 0 for s in steps):
        raise refusal.runtime(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(steps)}",
            fix="flip() a dimension instead.",
        )
    mine = t.storage_offset()
    start = mine if offset is None else int(offset)
    if start < 0:
        raise refusal.runtime(f"Tensor: invalid storage offset {start}")
    lies_here = t._level is None or t._level.kind == "stored"
    have = extent(owner(memory(t))) if lies_here else None
    width = t.dtype.itemsize
    last = start + sum((n - 1) * s for n, s in zip(size, steps, strict=True)) + 1
    if have is not None and 0 not in size and last * width > have:
        raise refusal.runtime(
            f"setStorage: sizes {list(size)}, strides {list(steps)}, storage offset {start}, and "
            f"itemsize {width} requiring a storage size of {last * width} are out of bounds for "
            f"storage of size {have}"
        )
    inner = (tuple(t.shape), tuple(t.stride()), mine)
    return inner, (tuple(size), tuple(steps), start)


def view_as_dtype(t: Any, target: dtypes.dtype) -> Any:
    """The same bytes as another type; gradients do not flow through it."""
    have, want = t.dtype.itemsize, target.itemsize
    words = f"{WORDS[t.dtype.name]} as {WORDS[target.name]} (different element sizes)"
    if have != want:
        steps = t.stride()
        if t.ndim == 0:
            raise refusal.runtime(f"self.dim() cannot be 0 to view {words}")
        if steps[-1] != 1:
            raise refusal.runtime(f"self.stride(-1) must be 1 to view {words}, but got {steps[-1]}")
    if want > have:
        ratio = want // have
        if t.shape[-1] % ratio:
            raise refusal.runtime(
                f"self.size(-1) must be divisible by {ratio} to view {words}, but got {t.shape[-1]}"
            )
    if t._lazy:
        bit = "conjugate" if t._lazy & CONJ else "negative"
        raise refusal.runtime(
            f"torch.Tensor.view is not supported for {bit} view tensors when converting to a "
            "different dtype.",
            f"{t.dtype!r} as {target!r}",
            fix="resolve_conj() or resolve_neg() first, which copies.",
        )
    made = P.view_dtype(t.detach() if t._rg else t, dtype=target.np)
    if made._level is None and target in dtypes.STORED:
        from .stored import stored

        return stored(made)
    return made


# ---- changing what memory a tensor shows ---------------------------------------------------------


def resize_(self: Any, *sizes: Any, size: Any = None, memory_format: Any = None) -> Any:
    """Give the tensor another shape in place; new elements are uninitialised."""
    try:
        from .creation import blank_array, shape_of

        shape = shape_of(sizes if size is None else (size,), "resize_")
        check_resizable(self, shape)
        order = None
        if memory_format is not None and memory_format.name != "preserve_format":
            order = required_order(memory_format, shape)
        if tuple(self.shape) == shape and (order is None or self.is_contiguous(memory_format)):
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


def resize_as_(self: Any, the_template: Any, *, memory_format: Any = None) -> Any:
    """Give the tensor another tensor's shape in place."""
    return resize_(self, *the_template.shape, memory_format=memory_format)


def set_(self: Any, source: Any = None, storage_offset: int = 0, size: Any = None,
         stride: Any = None) -> Any:  # fmt: skip
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


# ---- storages ------------------------------------------------------------------------------------


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


def untyped_storage(self: Any) -> UntypedStorage:
    """The block of memory behind this tensor."""
    return UntypedStorage(_shown(self), self.is_meta)


def storage(self: Any) -> TypedStorage:
    """The block of memory behind this tensor, with its type."""
    return TypedStorage(_shown(self), self.dtype, self.is_meta)


def _shown(t: Any) -> np.ndarray:
    return t._a if t.is_meta else memory(t)


METHODS = {
    "_typed_storage": storage, "contiguous": contiguous, "data_ptr": data_ptr,
    "is_contiguous": is_contiguous,
    "resize_": resize_, "resize_as_": resize_as_, "set_": set_, "storage": storage,
    "storage_offset": offset_of, "stride": stride, "untyped_storage": untyped_storage,
}  # fmt: skip


explain_module(globals(), "UntypedStorage", "TypedStorage")


def _load_from_bytes(b: bytes) -> Any:
    """A storage out of a pickle that PyTorch wrote: its bytes are a file of `torch.save`."""
    import importlib
    import io

    load = importlib.import_module("chainrule.serialization").load
    return load(io.BytesIO(b), weights_only=True)
