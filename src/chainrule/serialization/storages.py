"""The blocks of memory in a file: their types, where they lay, and where they are to lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal
from ..ops import dtypes
from ..ops.layout import address, flat_owner
from ..tensor.device import device
from ..tensor.legacy import WORDS
from ..tensor.storage import TypedStorage, UntypedStorage
from .limits import brief, clipped

# The types whose storages PyTorch names; the others go without a type.
NAMED = {
    dtypes.BY_NAME[name]: f"{word}Storage"
    for name, word in WORDS.items()
    if name not in ("uint16", "uint32", "uint64", "complex32") and not name.startswith("float8")
}
UNSUPPORTED_STORAGES = {
    f"{word}Storage": "quantised tensors" for word in ("QInt8", "QInt32", "QUInt8", "QUInt4x2",
                                                       "QUInt2x4")
}  # fmt: skip


class CannotSave(Exception):
    """(what is wrong, what to do): raised below the pickler, whose frames hide the user's line."""


class StorageType:
    """Stands for `torch.FloatStorage` and its kin in a pickle; None means bytes without a type."""

    def __init__(self, name: str, dtype: dtypes.dtype | None) -> None:
        self.name = name
        self.dtype = dtype

    @property
    def itemsize(self) -> int:
        return 1 if self.dtype is None else self.dtype.itemsize


TYPES = {name: StorageType(name, dtype) for dtype, name in NAMED.items()}
UNTYPED = TYPES["UntypedStorage"] = StorageType("UntypedStorage", None)


class SavedStorages:
    """Numbers the blocks of memory that the tensors of one save lie in."""

    def __init__(self) -> None:
        self.keys: dict[tuple[int, int], str] = {}
        self.blocks: list[np.ndarray] = []  # also keeps copies alive: an address is an identity
        self.types: dict[str, dtypes.dtype] = {}

    def identify(self, storage: TypedStorage | UntypedStorage) -> tuple[Any, ...]:
        """What stands for a storage in the pickle."""
        whole = flat_owner(storage.array)
        block = (np.ascontiguousarray(storage.array) if whole is None else whole).reshape(-1)
        block = block.view(np.uint8)
        place = (address(block), block.nbytes) if block.nbytes else (0, -len(self.blocks))
        key = self.keys.get(place)
        if key is None:
            key = self.keys[place] = str(len(self.blocks))
            self.blocks.append(block)
        dtype = storage.dtype if isinstance(storage, TypedStorage) else None
        kind = TYPES[NAMED[dtype]] if dtype in NAMED else UNTYPED
        seen = self.types.setdefault(key, dtype or dtypes.uint8)
        if seen is not (dtype or dtypes.uint8):
            raise CannotSave(
                "Cannot save multiple tensors or storages that view the same data as different "
                f"types: {seen!r} and {dtype or dtypes.uint8!r}",
                "save a .clone() of one of them.",
            )
        return "storage", kind, key, "cpu", block.nbytes // kind.itemsize


class Placement:
    """Decides by `map_location` where a storage that lay at some location goes: cpu or meta."""

    def __init__(self, map_location: Any) -> None:
        self.by_function = map_location if callable(map_location) else None
        self.by_name = map_location if isinstance(map_location, dict) else None
        self.fixed: str | None = None
        if map_location is not None and self.by_function is None and self.by_name is None:
            self.fixed = str(device(map_location))

    def needs_no_data(self, location: str) -> bool:
        """Whether the storage goes to meta, so that its bytes need not be read."""
        return self.by_function is None and self._target(location).split(":")[0] == "meta"

    def _target(self, location: str) -> str:
        if self.fixed is not None:
            return self.fixed
        if self.by_name is None:
            return location
        return str(self.by_name.get(location, location))

    def placed(self, storage: UntypedStorage, location: str) -> UntypedStorage:
        """The storage at its new place, or PyTorch's error when there is no such place here."""
        if self.by_function is not None:
            chosen = self.by_function(storage, location)
            if chosen is not None:
                return chosen  # pyright: ignore[reportReturnType]
        target = self._target(location)
        kind = target.split(":")[0]
        if kind == "cpu":
            return storage
        if kind == "meta":
            return UntypedStorage(storage.array, is_meta=True)
        if kind == "cuda":
            raise refusal.runtime(
                "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() "
                f"is False. The tensor goes to {brief(target)}, chainrule computes on the CPU.",
                "load",
                fix="load(f, map_location=torch.device('cpu')) to map your storages to the CPU.",
            )
        raise refusal.runtime(
            "don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
            f"{clipped(target)})",
            "load",
            fix="load(f, map_location='cpu').",
        )


def only_bools(data: np.ndarray, dtype: dtypes.dtype | None) -> np.ndarray:
    """Bytes of bools as 0 and 1: with others in them, operations would disagree on what is true."""
    if dtype is dtypes.bool_ and data.size and data.max() > 1:
        np.minimum(data, 1, out=data)
    return data


def typed(storage: UntypedStorage, kind: StorageType) -> UntypedStorage:
    """The storage with the type its name in the file gives it."""
    if kind.dtype is None:
        return storage
    return TypedStorage(storage.array, kind.dtype, storage.is_meta)


def same_kind(storage: UntypedStorage) -> UntypedStorage:
    """Another storage object on the same memory."""
    if isinstance(storage, TypedStorage):
        return TypedStorage(storage.array, storage.dtype, storage.is_meta)
    return UntypedStorage(storage.array, storage.is_meta)
