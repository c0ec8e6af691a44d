"""The safetensors format: a table of names, types and shapes in JSON, then the tensors' bytes.

Written and read here: the library's NumPy side does not know bfloat16 and copies every tensor once
more, and what lies below it changes between versions. Files are the same as the library's (tests
compare them both ways).
"""

from __future__ import annotations

import itertools
import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from ..autograd import source
from ..autograd.value import TensorBase, make
from ..ops import dtypes
from ..ops.layout import address
from .storages import Placement

CODES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64",
    "I32": "int32", "I16": "int16", "I8": "int8", "U64": "uint64", "U32": "uint32",
    "U16": "uint16", "U8": "uint8", "BOOL": "bool", "C64": "complex64",
}  # fmt: skip
_CODE_OF = {name: code for code, name in CODES.items()}
_LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"


class BadFile(RuntimeError):
    """The bytes are not what the format promises."""


# ---- writing -------------------------------------------------------------------------------------


def write(tensors: Any, file: BinaryIO, metadata: Mapping[str, str] | None = None) -> None:
    """Write a dict of tensors. Names of one and the same tensor are noted in the metadata."""
    arrays = _checked(tensors)
    notes = _checked_metadata(metadata)
    kept, aliases = _without_repetitions(arrays)
    notes.update(aliases)
    # Wide types first: then every tensor starts at a multiple of its element size.
    order = sorted(kept, key=lambda name: -kept[name].itemsize)
    header: dict[str, Any] = {_METADATA: notes} if notes else {}
    end = 0
    for name in order:
        array = kept[name]
        begin, end = end, end + array.nbytes
        code = _CODE_OF[dtypes.from_numpy_dtype(array.dtype).name]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for name in order:
        if kept[name].size:
            file.write(np.ascontiguousarray(kept[name]).reshape(-1).view(np.uint8).data)


def _checked(tensors: Any) -> dict[str, np.ndarray]:
    if not isinstance(tensors, Mapping):
        raise _unsuitable(f"got a {type(tensors).__name__} instead of a dict of tensors")
    arrays = {}
    for name, t in tensors.items():
        if not isinstance(name, str) or name == _METADATA:
            raise _unsuitable(f"the key {name!r} is not a name for a tensor")
        if not isinstance(t, TensorBase):
            raise _unsuitable(f"{name!r} is a {type(t).__name__}, not a tensor")
        if t.is_meta:
            raise _unsuitable(f"{name!r} is a meta tensor and has no data")
        if t.dtype.name not in _CODE_OF:
            raise _unsuitable(f"{name!r} has the type {t.dtype!r}, which the format lacks")
        arrays[name] = t.detach()._a
    return arrays


def _unsuitable(what: str) -> ValueError:
    return ValueError(
        f"A .safetensors file holds a dict of names and tensors, nothing else: {what}\n"
        f"  save at {source.here(5)}\n  Fix: save it with a name that ends in .pt, which can hold "
        "nested containers and numbers, or pass model.state_dict()."
    )


def _checked_metadata(metadata: Mapping[str, str] | None) -> dict[str, str]:
    notes = dict(metadata or {})
    for key, text in notes.items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise _unsuitable(f"the metadata {key!r}: {text!r} is not text for text")
    return notes


def _without_repetitions(
    arrays: dict[str, np.ndarray],
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Each tensor once: {name: array} to write, and {other name of it: name}."""
    kept: dict[str, np.ndarray] = {}
    aliases: dict[str, str] = {}
    seen: dict[Any, str] = {}
    for name, array in arrays.items():
        place = (address(array), array.shape, array.strides, array.dtype)
        if array.size and place in seen:
            aliases[name] = seen[place]
        else:
            seen[place] = name
            kept[name] = array
    _refuse_overlaps(kept)
    return kept, aliases


def _refuse_overlaps(arrays: dict[str, np.ndarray]) -> None:
    """The format has no views: tensors that share a part of their memory would come apart."""
    spans = sorted(
        (*np.lib.array_utils.byte_bounds(array), name)
        for name, array in arrays.items()
        if array.size
    )
    for (_, end, first), (begin, _, second) in itertools.pairwise(spans):
        if begin < end and np.shares_memory(arrays[first], arrays[second], max_work=10_000):
            raise RuntimeError(
                f"Some tensors share memory, and a .safetensors file cannot say so: {first!r} and "
                f"{second!r} overlap\n  save at {source.here(5)}\n  Fix: save .clone() of one of "
                "them, or choose a name that ends in .pt, which keeps views."
            )


# ---- reading -------------------------------------------------------------------------------------


def looks_like(head: bytes) -> bool:
    """Whether the first nine bytes can be the start of such a file."""
    return len(head) >= 9 and head[8:9] == b"{" and 0 < _length(head) <= _LONGEST_HEADER


def _length(head: bytes) -> int:
    return struct.unpack("<Q", head[:8])[0]


def read_header(file: BinaryIO) -> tuple[dict[str, Any], dict[str, str], int, int]:
    """(table of tensors, metadata, where the data starts, its size), all checked."""
    size = file.seek(0, 2)
    file.seek(0)
    head = file.read(8)
    if len(head) < 8:
        raise BadFile(f"it has {size} bytes, too few for a header")
    length = _length(head)
    if length > _LONGEST_HEADER or 8 + length > size:
        raise BadFile(f"its header should have {length} bytes, the file has {size}")
    try:
        header = json.loads(file.read(length), object_pairs_hook=_without_duplicates)
        notes = header.pop(_METADATA, {})
        if not all(isinstance(part, str) for pair in notes.items() for part in pair):
            raise ValueError("its metadata is not text")
    except (ValueError, TypeError, AttributeError, RecursionError) as problem:
        raise BadFile(f"its header is damaged ({problem})") from None
    _check_table(header, size - 8 - length)
    return header, notes, 8 + length, size - 8 - length


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _check_table(table: dict[str, Any], room: int) -> None:
    """Every tensor lies in the file, has the bytes its shape needs, and nothing is left over."""
    end = 0
    for name, entry in sorted(table.items(), key=lambda item: _begin(*item)):
        code, shape, (begin, stop) = entry["dtype"], entry["shape"], entry["data_offsets"]
        if code not in CODES:
            raise BadFile(f"tensor {name!r} has the type {code!r}, which chainrule does not have")
        if not all(isinstance(n, int) and n >= 0 for n in (*shape, begin, stop)):
            raise BadFile(f"tensor {name!r} has the shape {shape} and lies at {begin}:{stop}")
        count = 1
        for n in shape:
            count *= n
        if stop - begin != count * dtypes.BY_NAME[CODES[code]].itemsize:
            raise BadFile(f"tensor {name!r} of shape {shape} ({code}) has {stop - begin} bytes")
        if begin != end:
            raise BadFile(f"tensor {name!r} starts at {begin}, the one before it ends at {end}")
        end = stop
    if end != room:
        raise BadFile(f"its tensors have {end} bytes, but {room} follow the header")


def _begin(name: str, entry: Any) -> tuple[int, int]:
    try:
        begin, stop = entry["data_offsets"]
        if isinstance(entry["dtype"], str) and isinstance(entry["shape"], list):
            return int(begin), int(stop)
    except (TypeError, KeyError, ValueError):
        pass
    raise BadFile(f"its header is damaged (the entry of {name!r})")


def read(file: BinaryIO, placement: Placement, mapped_path: str | None = None) -> dict[str, Any]:
    """The tensors of a file, by name; names of one tensor share its memory again."""
    table, notes, start, size = read_header(file)
    without_data = placement.needs_no_data("cpu")
    if mapped_path is not None and size:
        data = np.memmap(mapped_path, np.uint8, "c", start, (size,)).view(np.ndarray)
    else:
        data = np.empty(0, np.uint8) if without_data else _all_bytes(file, start, size)
    found = {}
    for name, entry in table.items():
        found[name] = _tensor(entry, data, placement, without_data, mapped_path is not None)
    for name, kept in notes.items():
        if kept in found and name not in found:
            found[name] = make(found[kept]._a) if not found[kept].is_meta else found[kept]
    return found


def _all_bytes(file: BinaryIO, start: int, size: int) -> np.ndarray:
    data = np.empty(size, np.uint8)
    file.seek(start)
    view = memoryview(data) if size else memoryview(b"")
    position = 0
    while position < size:
        part = file.read(min(1 << 24, size - position))
        if not part:
            raise BadFile(f"it ends after {position} of {size} bytes of data")
        view[position : position + len(part)] = part
        position += len(part)
    return data


def _tensor(
    entry: Any, data: np.ndarray, placement: Placement, without_data: bool, mapped: bool
) -> Any:
    from ..tensor.meta import meta_tensor
    from ..tensor.storage import UntypedStorage

    dtype = dtypes.BY_NAME[CODES[entry["dtype"]]]
    shape = tuple(entry["shape"])
    if without_data:
        return meta_tensor(shape, dtype.np)
    begin, end = entry["data_offsets"]
    part = data[begin:end]
    if mapped and part.size:  # a storage of its own: saving the tensor must not save the whole file
        part = np.frombuffer(memoryview(part), np.uint8)
    else:
        part = part.copy()  # one tensor must not keep all the others alive
    storage = placement.placed(UntypedStorage(part), "cpu")
    if storage.is_meta:
        return meta_tensor(shape, dtype.np)
    return make(part.view(dtype.np).reshape(shape))
