"""Reading PyTorch's archives and its older stream format, with the machine or with pickle."""

from __future__ import annotations

import pickle
import struct
import sys
from typing import Any, BinaryIO

import numpy as np

from ..autograd import refusal, source
from ..ops import dtypes
from ..tensor.storage import UntypedStorage
from . import instructions, limits, names, settings, storages
from .archive import ArchiveReader, fill
from .limits import Damaged, brief, clipped
from .machine import AbsentFeature, RefusedGlobal

LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
LEGACY_VERSION = 1001


class How:
    """How a file is to be read: what may be run, and where storages go."""

    def __init__(
        self,
        name: str,
        placement: storages.Placement,
        *,
        weights_only: bool,
        pickle_module: Any = pickle,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.placement = placement
        self.weights_only = weights_only
        self.pickle_module = pickle_module
        self.options = options or {}

    def unpickled(self, stream: BinaryIO, persistent_load: Any) -> Any:
        """One pickle of the stream."""
        if not self.weights_only:
            return _trusting(self.pickle_module, stream, persistent_load, self.options, self.name)
        try:
            return instructions.load(stream, persistent_load)
        except RefusedGlobal as refused:
            raise pickle.UnpicklingError(_refusal(self.name, refused)) from None
        except AbsentFeature as missing:
            raise refusal.not_implemented(
                f"{self.name} holds {missing}, which chainrule does not have",
                "load",
                fix="convert them in PyTorch (dequantize(), .float()) and save again.",
            ) from None
        except Damaged as damage:
            raise pickle.UnpicklingError(
                f"Weights only load failed: {self.name} is damaged or no file of tensors: "
                f"{damage}\n  load at {source.here()}"
            ) from damage.__cause__


def _refusal(name: str, refused: RefusedGlobal) -> str:
    full_name = clipped(refused.full_name.removeprefix("builtins."))
    lines = [
        f"Weights only load failed: {name} was not loaded, because loading it would run",
        f"    {refused.action}",
        f"  Unsupported global: GLOBAL {full_name} was not an allowed global by default",
        f"  load at {source.here()}",
        "  A file of weights holds tensors, numbers, text and containers; nothing in it is run.",
    ]
    if full_name.startswith("torch.nn.modules.") or "__main__" in full_name:
        lines.append(
            "  Fix: save model.state_dict() instead of the model, and load it with "
            "model.load_state_dict(...)."
        )
    lines.append(
        "  Fix, only if you trust the file: load(f, weights_only=False), or allow this one name "
        f"with torch.serialization.add_safe_globals([{full_name}]) or the safe_globals context "
        "manager."
    )
    return "\n".join(lines)


def _trusting(pickle_module: Any, stream: BinaryIO, persistent_load: Any, options: Any,
              name: str) -> Any:  # fmt: skip
    """Python's unpickler, with PyTorch's names meaning our objects: runs what the file says."""

    class Unpickler(pickle_module.Unpickler):
        def find_class(self, module: str, attribute: str) -> Any:
            if not names.is_torch(module):
                return super().find_class(module, attribute)
            try:
                return names.our_object(module, attribute)
            except AttributeError as problem:
                raise pickle.UnpicklingError(
                    f"{name} cannot be loaded: {problem}\n  load at {source.here()}"
                ) from None

        def persistent_load(self, identity: Any) -> Any:
            return persistent_load(identity)

    try:
        return Unpickler(stream, **options).load()
    except (EOFError, pickle.UnpicklingError) as problem:
        if str(problem).startswith(name):
            raise
        raise type(problem)(
            f"{name} is damaged or no pickle: {problem}\n  load at {source.here()}"
        ) from problem


# ---- archives ------------------------------------------------------------------------------------


class _Storages:
    """Hands out the storages that a pickle names, each read once."""

    def __init__(self, archive: ArchiveReader, how: How, mapped: bool) -> None:
        self.archive = archive
        self.how = how
        self.mapped = mapped
        self.read: dict[str, UntypedStorage] = {}
        self.sizes: dict[str, int] = {}
        self.bools: set[str] = set()
        self.swap = _byteorder(archive) != sys.byteorder

    def load(self, identity: Any) -> UntypedStorage:
        kind, key, location, count = _checked_identity(identity)
        if key not in self.read:
            self.read[key] = self._placed(kind, key, location, count)
            self.sizes[key] = count * kind.itemsize
        elif self.sizes[key] != count * kind.itemsize:
            raise RuntimeError(
                f"it gives storage {brief(key)} {self.sizes[key]} bytes in one place and "
                f"{count * kind.itemsize} in another"
            )
        if kind.dtype is dtypes.bool_ and key not in self.bools and not self.read[key].is_meta:
            self.bools.add(key)
            storages.only_bools(self.read[key].bytes(), kind.dtype)
        return storages.typed(self.read[key], kind)

    def _placed(self, kind: Any, key: str, location: str, count: int) -> UntypedStorage:
        if self.how.placement.needs_no_data(location):
            return UntypedStorage(np.empty(0, np.uint8), is_meta=True)
        record, expected = f"data/{key}", count * kind.itemsize
        if self.mapped:
            limits.current().objects(expected)  # once it is read, it is in memory
            data = self.archive.map_array(record, expected)
        else:
            data = self.archive.read_array(record, expected)
        if self.swap:
            data = _swapped(data, kind)
        return self.how.placement.placed(UntypedStorage(data), location)


def _checked_identity(identity: Any) -> tuple[Any, str, str, int]:
    """(type, key, location, number of elements) of a storage, or what a file put there."""
    short = [p.decode("latin1") if type(p) is bytes and len(p) <= 200 else p for p in identity]
    parts: list[Any] = short[:5]  # what may follow is looked at by those who know it
    if len(parts) < 5 or type(parts[0]) is not str or parts[0] != "storage":
        raise RuntimeError(f"the file names a storage in an unknown form: {brief(identity)}")
    kind = storages.UNTYPED if parts[1] is UntypedStorage else parts[1]
    count = parts[4]
    if not isinstance(kind, storages.StorageType) or type(count) is not int:
        raise RuntimeError(f"the file names a storage of an unknown type: {brief(identity)}")
    where: list[Any] = [str(p) if type(p) is int and 0 <= p < 1 << 63 else p for p in parts[2:4]]
    if not all(type(name) is str and len(name) <= 200 for name in where):
        raise RuntimeError(f"the file names a storage in an unknown form: {brief(identity)}")
    if not 0 <= count < 1 << 60:
        raise RuntimeError(f"the file names a storage of {brief(count)} elements")
    return kind, where[0], where[1], count


def _byteorder(archive: ArchiveReader) -> str:
    if "byteorder" not in archive:  # files of PyTorch 1.x do not say
        return settings.assumed_byteorder()
    order = archive.open("byteorder").read(7)
    if order not in (b"little", b"big"):
        raise RuntimeError(f"Unknown endianness type: {brief(order)} in the record byteorder")
    return order.decode()


def _swapped(data: np.ndarray, kind: Any) -> np.ndarray:
    """The bytes in this machine's order; parts of complex numbers are swapped each."""
    if kind.dtype is None:
        raise RuntimeError("storages without a type cannot be converted between byte orders")
    limits.current().objects(data.nbytes)
    width = kind.dtype.to_real().itemsize
    return data.view(f"u{width}").byteswap().view(np.uint8)


def read_archive(file: BinaryIO, how: How, mapped: bool = False) -> Any:
    """The object in PyTorch's archive."""
    archive = ArchiveReader(file)
    if "constants.pkl" in archive:
        raise RuntimeError(
            "it is a TorchScript archive: it holds a program, and chainrule does not run those. "
            "Fix: load it in PyTorch with torch.jit.load and save its state_dict()"
        )
    with limits.counting(archive.size, trusted=not how.weights_only) as spending:
        spending.objects(archive.directory_memory)
        found = _Storages(archive, how, mapped)
        return how.unpickled(archive.open("data.pkl"), found.load)


def names_in_archive(file: BinaryIO, name: str) -> list[str]:
    """The names in an archive that are not allowed, without making anything of it."""
    from .survey import names_in

    archive = ArchiveReader(file)
    with limits.counting(archive.size) as spending:
        spending.objects(archive.directory_memory)
        try:
            return names_in(archive.open("data.pkl"))
        except Damaged as damage:
            raise pickle.UnpicklingError(
                f"{name} is damaged or no file of tensors: {damage}\n  at {source.here()}"
            ) from None


# ---- the format before PyTorch 1.6 ---------------------------------------------------------------


def read_legacy(file: BinaryIO, how: How) -> Any:
    """The object in a file of PyTorch before 1.6: pickles in a row, then the storages' bytes."""
    size = _size_of(file)
    with limits.counting(size, [], trusted=not how.weights_only) as spending:
        _check_legacy_head(file, how)
        found = _LegacyStorages(file, how, size)
        result = how.unpickled(file, found.load)
        keys = How(how.name, how.placement, weights_only=True).unpickled(file, found.load)
        if not isinstance(keys, list) or not all(type(key) in (str, int) for key in keys):
            raise RuntimeError("its list of storages is none")
        named = [limits.brief(key) if type(key) is int else key for key in keys]
        if sorted(named) != sorted(found.known):
            raise RuntimeError("its list of storages does not fit its tensors")
        for key in named:
            found.fill(key)
        later, spending.later = spending.later, None
        for finish in later or ():
            _finished(finish, how)
    return result


def _finished(finish: Any, how: How) -> None:
    """Do what had to wait for the bytes; what they show to be wrong is wrong with the file."""
    try:
        finish()
    except Exception as problem:
        raise pickle.UnpicklingError(
            f"Weights only load failed: {how.name} is damaged or no file of tensors: "
            f"{limits.reason(problem)}\n  load at {source.here()}"
        ) from None


def _size_of(file: BinaryIO) -> int:
    here = file.tell()
    size = file.seek(0, 2)
    file.seek(here)
    return size


class _LegacyStorages:
    """Storages whose bytes follow after the pickle that names them."""

    def __init__(self, file: BinaryIO, how: How, room: int) -> None:
        self.file = file
        self.how = how
        self.room = room
        self.known: dict[str, tuple[Any, UntypedStorage]] = {}
        self.sizes: dict[str, int] = {}
        self.bools: set[str] = set()

    def load(self, identity: Any) -> Any:
        kind, key, location, count = _checked_identity(identity)
        size = count * kind.itemsize
        if key not in self.known:
            if size > self.room:  # of all storages together: their bytes are still to come
                raise RuntimeError(
                    f"storage {brief(key)} should have {size} bytes, but only {self.room} of the "
                    "file are left"
                )
            self.room -= size
            limits.current().objects(size)
            memory = UntypedStorage(np.zeros(size, np.uint8))
            self.known[key] = kind, self.how.placement.placed(memory, location)
            self.sizes[key] = size
        elif self.sizes[key] != size:
            raise RuntimeError(
                f"it gives storage {brief(key)} {self.sizes[key]} bytes in one place and {size} in "
                "another"
            )
        if kind.dtype is dtypes.bool_:
            self.bools.add(key)
        made = storages.typed(self.known[key][1], kind)
        part = identity[5] if len(identity) > 5 else None
        if part is not None:  # a part that counts as a storage of its own
            made = _part_of(made, part, kind.itemsize, key)
        return made

    def fill(self, key: str) -> None:
        kind, storage = self.known[key]
        head = self.file.read(8)
        if len(head) < 8:
            raise RuntimeError(f"the file ends before storage {brief(key)}")
        (count,) = struct.unpack("<q", head)
        expected = self.sizes[key]
        if count * kind.itemsize != expected:
            raise RuntimeError(
                f"storage {brief(key)} has {count} elements where {expected // kind.itemsize} are "
                "expected"
            )
        if storage.is_meta:
            self.file.seek(expected, 1)
            return
        try:
            data = storage.array.reshape(-1).view(np.uint8)
            fill(self.file, data)
            storages.only_bools(data, dtypes.bool_ if key in self.bools else None)
        except ValueError as problem:
            raise RuntimeError(f"storage {brief(key)}: {problem}") from None


def _part_of(storage: UntypedStorage, part: Any, width: int, key: str) -> UntypedStorage:
    """A stretch of a storage, given as (its own key, first element, number of elements)."""
    right = isinstance(part, tuple) and len(part) == 3 and all(type(n) is int for n in part[1:])
    if right and 0 <= part[1] <= part[1] + part[2] <= storage.nbytes() // width:
        made = storages.same_kind(storage)
        made.array = storage.array[part[1] * width : (part[1] + part[2]) * width]
        return made
    raise RuntimeError(f"storage {brief(key)} has a part in an unknown form: {brief(part)}")


def _check_legacy_head(file: BinaryIO, how: How) -> None:
    safely = How(how.name, how.placement, weights_only=True)
    magic = safely.unpickled(file, lambda identity: None)
    if type(magic) is not int or magic != LEGACY_MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file? It is no file of PyTorch's")
    version = safely.unpickled(file, lambda identity: None)
    if type(version) is not int or version != LEGACY_VERSION:
        raise RuntimeError(f"Invalid protocol version: {brief(version)}")
    system = safely.unpickled(file, lambda identity: None)
    if type(system) is not dict:
        raise RuntimeError("what it says of the machine that wrote it makes no sense")
    if system.get("little_endian", True) is not np.little_endian:
        raise RuntimeError("it was written on a machine of the other byte order")
