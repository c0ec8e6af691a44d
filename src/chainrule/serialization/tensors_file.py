"""The safetensors format: a table of names, types and shapes in JSON, then the tensors' bytes.

Written and read here: the library's NumPy side does not know bfloat16 and copies every tensor once
more, and what lies below it changes between versions. Files are the same as the library's (tests
compare them both ways).
"""

from __future__ import annotations

import itertools
import json
import re
import struct
import sys
from collections.abc import Iterator, Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]
from sys import getsizeof
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..autograd import refusal
from ..autograd.value import TensorBase, make
from ..ops import dtypes
from ..ops.layout import address
from . import archive
from .limits import Damaged, brief, counting, current, decoded, reason
from .storages import Placement, only_bools

CODES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64",
    "I32": "int32", "I16": "int16", "I8": "int8", "U64": "uint64", "U32": "uint32",
    "U16": "uint16", "U8": "uint8", "BOOL": "bool", "C64": "complex64",
}  # fmt: skip
_CODE_OF = {name: code for code, name in CODES.items()}
_LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"
# Bytes of memory for a tensor with its entry and its places in dicts, for each of its dimensions,
# for a line of the metadata, and for a line that is another name of a tensor.
_TENSOR, _DIMENSION, _NOTE, _ALIAS = 800, 32, 130, 350


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
    return refusal.value(
        f"A .safetensors file holds a dict of names and tensors, nothing else: {what}",
        "save",
        fix="save it with a name that ends in .pt, which can hold nested containers and numbers, "
        "or pass model.state_dict().",
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
        if begin < end and np.shares_memory(arrays[first], arrays[second], max_work=10_000):  # pyright: ignore[reportArgumentType]
            raise refusal.runtime(
                f"Some tensors share memory, and a .safetensors file cannot say so: {first!r} and "
                f"{second!r} overlap",
                "save",
                fix="save .clone() of one of them, or choose a name that ends in .pt, which keeps "
                "views.",
            )


# ---- reading -------------------------------------------------------------------------------------


def looks_like(head: bytes) -> bool:
    """Whether the first nine bytes can be the start of such a file."""
    return len(head) >= 9 and head[8:9] == b"{" and 0 < _length(head) <= _LONGEST_HEADER


def _length(head: bytes) -> int:
    return struct.unpack("<Q", head[:8])[0]


def read_header(file: BinaryIO) -> tuple[dict[str, Entry], dict[str, str], int, int]:
    """(table of tensors, metadata, where the data starts, its size), all checked."""
    size = file.seek(0, 2)
    file.seek(0)
    head = file.read(8)
    if len(head) < 8:
        raise BadFile(f"it has {size} bytes, too few for a header")
    length = _length(head)
    if length > _LONGEST_HEADER or 8 + length > size:
        raise BadFile(f"its header should have {length} bytes, the file has {size}")
    with counting(size) as spending:
        try:
            spending.objects(size)
            table, notes = _parsed(decoded(file.read(length)))
        except BadFile:
            raise
        except Damaged as problem:
            raise BadFile(str(problem)) from None
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise BadFile(f"its header is damaged ({reason(problem)})") from None
    _check_table(table, size - 8 - length)
    return table, notes, 8 + length, size - 8 - length


class Entry(NamedTuple):
    """Where one tensor lies."""

    code: str
    shape: tuple[int, ...]
    begin: int
    end: int


# The header is read entry by entry: a JSON reader would first build whatever is written there.
_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_ENTRY = 4096  # 64 dimensions of 20 digits are 1,300 characters


def _parsed(text: str) -> tuple[dict[str, Entry], dict[str, str]]:
    table: dict[str, Entry] = {}
    notes: dict[str, str] | None = None
    for name, at in (members := Members(text, 0)):
        if name == _METADATA:
            if notes is not None:
                raise ValueError(f"the name {name!r} occurs twice")
            notes, members.at = _parsed_notes(text, at)
            continue
        if name in table:
            raise ValueError(f"the name {brief(name)} occurs twice")
        end = text.find("}", at, at + _LONGEST_ENTRY) + 1
        if text[at : at + 1] != "{" or not end:
            raise _bad_entry(name)
        table[name] = entry = _entry(name, text[at:end])
        members.at = end
        current().objects(_TENSOR + _DIMENSION * len(entry.shape) + getsizeof(name))
    if _SPACE.fullmatch(text, members.at) is None:
        raise ValueError("something follows the table")
    notes = notes or {}
    current().objects(_ALIAS * sum(name in table for name in notes.values()))
    return table, notes


def _parsed_notes(text: str, at: int) -> tuple[dict[str, str], int]:
    notes: dict[str, str] = {}
    for name, start in (members := Members(text, at)):
        if text[start : start + 1] != '"':
            raise ValueError("its metadata is not text")
        if name in notes:
            raise ValueError(f"the name {brief(name)} occurs twice")
        notes[name], members.at = scanstring(text, start + 1, True)
        current().objects(_NOTE + getsizeof(name) + getsizeof(notes[name]))
    return notes, members.at


class Members:
    """The names of a JSON object and where their values start; `at` is to be set to their end."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def __iter__(self) -> Iterator[tuple[str, int]]:
        self._take("{")
        if self._has("}"):
            return
        while True:
            self._take('"')
            name, self.at = scanstring(self.text, self.at, True)
            self._take(":")
            self.at = self._skipped()
            yield name, self.at
            if self._has("}"):
                return
            self._take(",")

    def _skipped(self) -> int:
        found = _SPACE.match(self.text, self.at)
        return self.at if found is None else found.end()

    def _has(self, sign: str) -> bool:
        at = self._skipped()
        if self.text[at : at + 1] != sign:
            return False
        self.at = at + 1
        return True

    def _take(self, sign: str) -> None:
        if not self._has(sign):
            raise ValueError(f"{sign!r} is missing at character {self._skipped()}")


def _entry(name: str, text: str) -> Entry:
    try:
        fields = json.loads(text, object_pairs_hook=without_duplicates)
        code, shape, (begin, end) = fields["dtype"], fields["shape"], fields["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise _bad_entry(name) from None
    if type(code) is not str or not isinstance(shape, list):
        raise _bad_entry(name)
    if code not in CODES:
        raise BadFile(f"tensor {brief(name)} has the type {brief(code)}, which chainrule does not "
                      "have")  # fmt: skip
    numbers = (*shape, begin, end)
    if len(shape) > 64 or not all(type(n) is int and 0 <= n < 1 << 63 for n in numbers):
        raise BadFile(f"tensor {brief(name)} has the shape {brief(shape)} and lies at "
                      f"{brief(begin)}:{brief(end)}")  # fmt: skip
    return Entry(sys.intern(code), tuple(shape), begin, end)


def _bad_entry(name: str) -> BadFile:
    return BadFile(f"its header is damaged (the entry of {brief(name)})")


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads`: an object in which a name occurs twice is refused."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _check_table(table: dict[str, Entry], room: int) -> None:
    """Every tensor lies in the file, has the bytes its shape needs, and nothing is left over."""
    last = 0
    for name, entry in sorted(table.items(), key=lambda item: item[1][2:]):
        width = dtypes.BY_NAME[CODES[entry.code]].itemsize
        if entry.end - entry.begin != _count(entry.shape) * width:
            raise BadFile(
                f"tensor {brief(name)} of shape {brief(list(entry.shape))} ({entry.code}) has "
                f"{entry.end - entry.begin} bytes"
            )
        if entry.begin != last:
            raise BadFile(
                f"tensor {brief(name)} starts at {entry.begin}, the one before it ends at {last}"
            )
        last = entry.end
    if last != room:
        raise BadFile(f"its tensors have {last} bytes, but {room} follow the header")


def _count(shape: tuple[int, ...]) -> int:
    """The number of elements; shapes that no address can count are refused, empty ones too."""
    spread = 1
    for n in shape:
        spread *= max(n, 1)
    if spread >= 1 << 59:
        raise BadFile(f"it has a tensor of shape {brief(list(shape))}")
    return 0 if 0 in shape else spread


def read(file: BinaryIO, placement: Placement, mapped: bool = False) -> dict[str, Any]:
    """The tensors of a file, by name; names of one tensor share its memory again.

    Each tensor is read into memory of its own, so that the whole takes little more than the file.
    """
    table, notes, start, size = read_header(file)
    without_data = placement.needs_no_data("cpu")
    pages = archive.mapped(file, start, size) if mapped and size else None
    made = {}
    for name, entry in sorted(table.items(), key=lambda item: item[1][2:]):
        if without_data:
            data = np.empty(0, np.uint8)
        elif pages is not None:  # each a storage of its own: saving it must not save the whole file
            part = pages[entry.begin : entry.end]
            data = np.frombuffer(part.data, np.uint8) if part.size else part.copy()
        else:
            data = _bytes_of(file, start, entry)
        made[name] = _tensor(entry, data, placement, without_data)
    found = {name: made[name] for name in table}
    for name, kept in notes.items():
        if kept in found and name not in found:
            found[name] = make(found[kept]._a) if not found[kept].is_meta else found[kept]
    return found


def _bytes_of(file: BinaryIO, start: int, entry: Entry) -> np.ndarray:
    data = np.empty(entry.end - entry.begin, np.uint8)
    file.seek(start + entry.begin)
    try:
        archive.fill(file, data)
    except ValueError as problem:
        raise BadFile(str(problem)) from None
    return data


def _tensor(entry: Entry, data: np.ndarray, placement: Placement, without_data: bool) -> Any:
    from ..tensor.meta import meta_tensor
    from ..tensor.storage import UntypedStorage

    dtype = dtypes.BY_NAME[CODES[entry.code]]
    only_bools(data, dtype)
    if not without_data:
        storage = placement.placed(UntypedStorage(data), "cpu")
        if not storage.is_meta:
            return make(data.view(dtype.np).reshape(entry.shape))
    return meta_tensor(entry.shape, dtype.np)
