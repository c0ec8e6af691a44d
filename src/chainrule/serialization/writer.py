"""Writing: the object as a pickle with PyTorch's names, its memory as records beside it."""

from __future__ import annotations

import io
import os
import pickle
from collections import OrderedDict
from types import BuiltinFunctionType, FunctionType
from typing import Any, BinaryIO

import numpy as np

from ..autograd.lazy import memory
from ..autograd.value import CONJ, NEG, TensorBase, make
from ..ops import dtypes
from ..ops.layout import address, flat_owner
from ..tensor import layouts
from ..tensor.device import device
from ..tensor.parameter import Parameter
from ..tensor.random import Generator
from ..tensor.storage import TypedStorage, UntypedStorage
from ..tensor.strides import offset_of, strides_of
from ..tensor.tensor import Tensor
from . import names, rebuild, storages
from .archive import ALIGNMENT, ArchiveWriter

# The pure Python form: names can be written that nothing here can be imported by.
_PythonPickler: Any = pickle._Pickler  # type: ignore[attr-defined]


def write_archive(obj: Any, file: BinaryIO, folder: str, protocol: int, base: Any,
                  checksums: bool) -> None:  # fmt: skip
    """Write an object as PyTorch's archive. Pickling comes first: it may fail, writing not."""
    text, saved = pickled(obj, protocol, base)
    archive = ArchiveWriter(file, folder, checksums)
    sums = [archive.record("data.pkl", text)]
    archive.record(".format_version", b"1")
    archive.record(".storage_alignment", str(ALIGNMENT).encode())
    archive.record("byteorder", b"little" if np.little_endian else b"big")
    sums += [archive.record(f"data/{key}", block) for key, block in enumerate(saved.blocks)]
    archive.record("version", b"3\n")
    archive.record(".data/serialization_id", _identity(sums))
    archive.close()


def _identity(checksums: list[int]) -> bytes:
    """Forty digits that depend on the content and on nothing else: equal content, equal file."""
    digest = 0
    for checksum in checksums:
        digest = (digest * 0x100000001B3 + checksum + 1) % 10**40
    return f"{digest:040d}".encode()


def folder_name(f: Any) -> str:
    """The folder of the records in the archive: the file's name without its ending."""
    if not isinstance(f, str | os.PathLike):
        return "archive"
    stem = os.path.splitext(os.path.basename(os.fspath(f)))[0]
    return stem if stem and stem.isascii() else "archive"


def pickled(obj: Any, protocol: int, base: Any = pickle) -> tuple[bytes, storages.SavedStorages]:
    """The pickle of an object, and the storages it refers to by number."""
    buffer = io.BytesIO()
    saved = storages.SavedStorages()
    _pickler_class(base)(buffer, saved, protocol).dump(obj)
    return buffer.getvalue(), saved


def _pickler_class(base: Any) -> Any:
    parent: Any = getattr(base, "_Pickler", base.Pickler)
    if parent is _PythonPickler:
        return Pickler
    return type("Pickler", (_Naming, parent), {"dispatch": _dispatch_of(parent)})


class _Naming:
    """The part of a pickler that knows tensors, storages and PyTorch's names."""

    def __init__(self, file: Any, saved: storages.SavedStorages, protocol: int) -> None:
        super().__init__(file, protocol)  # type: ignore[call-arg]
        self.saved = saved

    def persistent_id(self, obj: Any) -> Any:
        return self.saved.identify(obj) if isinstance(obj, UntypedStorage) else None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, TensorBase):
            return _reduced_tensor(obj)
        reduce = _REDUCED.get(type(obj))
        if reduce is not None:
            return reduce(obj)
        if isinstance(getattr(type(obj), "_flat_weights", None), property):
            return _reduced_recurrent(obj)
        return NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        self_: Any = self
        known = names.torch_name(obj)
        if known is None:
            super().save_global(obj, name)  # type: ignore[misc]
            return
        if self_.proto >= 4:
            self_.save(known[0])
            self_.save(known[1])
            self_.write(pickle.STACK_GLOBAL)
        else:
            self_.write(pickle.GLOBAL + "\n".join((*known, "")).encode())
        self_.memoize(obj)


def _dispatch_of(parent: Any) -> dict[Any, Any]:
    table = dict(getattr(parent, "dispatch", {}))
    table[FunctionType] = table[BuiltinFunctionType] = _Naming.save_global
    return table


class Pickler(_Naming, _PythonPickler):
    """Python's pickler with PyTorch's names."""

    dispatch = _dispatch_of(_PythonPickler)


# ---- how each kind of ours is written ------------------------------------------------------------


def _reduced_tensor(t: Any) -> Any:
    """A tensor as a call of PyTorch's function that makes it."""
    if t.is_sparse:
        parts = (t._indices(), t._values().detach(), t.shape, t.is_coalesced())
        return rebuild._rebuild_sparse_tensor, (t.layout, parts)
    if t.is_nested or t.is_quantized:
        return t.__reduce_ex__(2)
    state = {k: v for k, v in t.__dict__.items() if k != "_level"}
    kind = _public_class(t)
    if kind is Parameter:
        data = _Call(*_plain_tensor(t, False))
        if state:
            return rebuild._rebuild_parameter_with_state, (data, t._rg, OrderedDict(), state)
        return rebuild._rebuild_parameter, (data, t._rg, OrderedDict())
    made, args = _plain_tensor(t, t._rg)
    if kind is Tensor and not state:
        return made, args
    return rebuild._rebuild_from_type_v2, (made, kind, args, state)


class _Call:
    """A call that is written as such: the data of a parameter is no object of its own here."""

    def __init__(self, function: Any, args: tuple[Any, ...]) -> None:
        self.reduced = function, args


def _public_class(t: Any) -> type:
    return next(c for c in type(t).__mro__ if "_is_meta_class" not in vars(c))


def _plain_tensor(t: Any, requires_grad: bool) -> tuple[Any, tuple[Any, ...]]:
    size = tuple(t.shape)
    if t._level is not None and t._level.kind != "stored":
        if t.is_meta:
            shape = (t.dtype, size, t.stride(), requires_grad)
            return rebuild._rebuild_meta_tensor_no_storage, shape
        raise storages.CannotSave(
            "a tensor inside a transform cannot be saved", "save the transform's result."
        )
    told: tuple[Any, ...] = ()
    if t._lazy:
        told = ({n: True for n, f in (("conj", CONJ), ("neg", NEG)) if t._lazy & f},)
        t = make(memory(t))
    t = _on_whole_storage(t)
    place = (TypedStorage(t._a, t.dtype), offset_of(t), size, strides_of(t), requires_grad)
    if t.dtype in storages.NAMED:
        return rebuild._rebuild_tensor_v2, (*place, OrderedDict(), *told)
    return rebuild._rebuild_tensor_v3, (*place, OrderedDict(), t.dtype, *told)


def _on_whole_storage(t: Any) -> Any:
    """The tensor, or a copy when its memory cannot be described by strides over one block."""
    array = t._a
    regular = all(s >= 0 and s % array.itemsize == 0 for s in array.strides)
    whole = flat_owner(array) if regular else None
    if whole is not None and whole.nbytes % array.itemsize == 0:
        if (address(array) - address(whole)) % array.itemsize == 0:
            return t
    return make(np.ascontiguousarray(array))


def _reduced_recurrent(module: Any) -> Any:
    """An LSTM or its kin: PyTorch keeps its weights in a list beside the parameters as well."""
    function, args, state, *rest = module.__reduce_ex__(2)
    return function, args, {**state, "_flat_weights": module._flat_weights}, *rest


def _reduced_generator(g: Any) -> Any:
    return Generator, (device("cpu"),), (g.initial_seed(), None, g.get_state())


_REDUCED: dict[type, Any] = {
    _Call: lambda call: call.reduced,
    dtypes.dtype: lambda d: d.name,
    storages.StorageType: lambda kind: kind.name,
    layouts.layout: lambda found: (rebuild._get_layout, (repr(found),)),
    device: lambda d: (device, (d.type,) if d.index is None else (d.type, d.index)),
    Generator: _reduced_generator,
}
