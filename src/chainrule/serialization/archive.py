"""PyTorch's archive: an uncompressed zip file whose records start at multiples of 64 bytes.

The records lie in a folder named after the file: `data.pkl` (the pickled object, with numbers in
place of storages), `data/0`, `data/1`, ... (the bytes of the storages) and a few small ones that
say how it was written. Aligned records can be mapped into memory as they are.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any, BinaryIO

import numpy as np

from .limits import Damaged, allowance, brief, clipped, current, reason

ALIGNMENT = 64
ZIP64_FROM = 0xFFFFFFFF  # sizes and offsets from here on need the 64-bit fields
_CHUNK = 1 << 20
_BUFFER = 1 << 16
_UTF8_NAMES = 0x0800
_ENCRYPTED = 0x0001
_PADDING_TAG = b"FB"
_DIRECTORY_TIMES = 13  # memory of what a directory lists: fifty bytes become six hundred
_PACKED = (
    "; it is compressed, and records of PyTorch's are not. Fix: pack the file again without "
    "compression"
)


class ArchiveWriter:
    """Writes records one after the other; needs nothing of the file but `write`."""

    def __init__(self, file: BinaryIO, folder: str, checksums: bool = True) -> None:
        self.file = file
        self.folder = folder
        self.checksums = checksums
        self.position = 0
        self.directory: list[tuple[bytes, int, int, int]] = []  # name, checksum, size, start

    def record(self, name: str, data: Any) -> int:
        """Add one record (bytes or an array of uint8); returns its checksum."""
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        checksum = zlib.crc32(view) if self.checksums else 0
        full_name = f"{self.folder}/{name}".encode()
        self.directory.append((full_name, checksum, len(view), self.position))
        self._write(self._local_header(full_name, checksum, len(view)))
        self._write(view)
        return checksum

    def _local_header(self, name: bytes, checksum: int, size: int) -> bytes:
        wide = size >= ZIP64_FROM
        extra = struct.pack("<HHQQ", 1, 16, size, size) if wide else b""
        start = self.position + 30 + len(name) + len(extra) + 4
        padding = -start % ALIGNMENT
        extra += _PADDING_TAG + struct.pack("<H", padding) + b"Z" * padding
        shown = 0xFFFFFFFF if wide else size
        return (
            struct.pack(
                "<4sHHHHHLLLHH", b"PK\3\4", 45 if wide else 20, _UTF8_NAMES, 0, 0, 0x21,
                checksum, shown, shown, len(name), len(extra),
            )
            + name
            + extra
        )  # fmt: skip

    def close(self) -> None:
        """Write the directory; the file itself stays open."""
        start = self.position
        for entry in self.directory:
            self._write(_directory_entry(*entry))
        size, count = self.position - start, len(self.directory)
        if start >= ZIP64_FROM or size >= ZIP64_FROM or count >= 0xFFFF:
            where = self.position
            self._write(
                struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
            )
            self._write(struct.pack("<4sLQL", b"PK\6\7", 0, where, 1))
            start, size, count = 0xFFFFFFFF, min(size, 0xFFFFFFFF), min(count, 0xFFFF)
        self._write(struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, count, count, size, start, 0))

    def _write(self, data: Any) -> None:
        # In pieces: some file objects copy what they are given.
        for begin in range(0, len(data), 64 * _CHUNK):
            self.file.write(data[begin : begin + 64 * _CHUNK])
        self.position += len(data)


def _directory_entry(name: bytes, checksum: int, size: int, start: int) -> bytes:
    wide_fields = [value for value in (size, size, start) if value >= ZIP64_FROM]
    extra = b""
    if wide_fields:
        extra = struct.pack(f"<HH{len(wide_fields)}Q", 1, 8 * len(wide_fields), *wide_fields)
    shown = 0xFFFFFFFF if size >= ZIP64_FROM else size
    version = 45 if wide_fields else 20
    return (
        struct.pack(
            "<4sHHHHHHLLLHHHHHLL", b"PK\1\2", version, version, _UTF8_NAMES, 0, 0, 0x21, checksum,
            shown, shown, len(name), len(extra), 0, 0, 0, 0,
            0xFFFFFFFF if start >= ZIP64_FROM else start,
        )
        + name
        + extra
    )  # fmt: skip


class ArchiveReader:
    """Reads records by name and compares their checksums; every problem is a RuntimeError."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        try:
            self.size = file.seek(0, 2)
            directory = _Directory(file, self.size)
            found = zipfile.ZipFile(directory)  # type: ignore[call-overload]
            self.directory_memory = _DIRECTORY_TIMES * directory.length
            self.records = _by_name(found.infolist())
            self.ends = _ends(found)
        except _Refused as problem:
            raise RuntimeError(
                f"PytorchStreamReader failed reading zip archive: {problem}"
            ) from None
        except Exception as problem:  # zipfile meets damage in many ways
            raise RuntimeError(
                "PytorchStreamReader failed reading zip archive: failed finding central "
                f"directory. The file is incomplete or damaged ({reason(problem)})"
            ) from None
        if not self.records:
            raise RuntimeError("PytorchStreamReader failed reading zip archive: it has no records")
        self.folder = next(iter(self.records)).split("/")[0]
        # PyTorch can be told to leave checksums out: then all are zero.
        self.has_checksums = any(info.CRC for info in self.records.values())

    def __contains__(self, name: str) -> bool:
        return f"{self.folder}/{name}" in self.records

    def read(self, name: str) -> bytes:
        """The bytes of a record."""
        return self.read_array(name).tobytes()

    def open(self, name: str) -> BinaryIO:
        """A record as a stream, its checksum compared; it takes memory only if it is packed."""
        info = self._found(name, None)
        if info.compress_type != zipfile.ZIP_STORED:
            try:
                current().instructions(info.compress_size, info.file_size)
            except Damaged as problem:
                raise _unreadable(name, f"{problem}{_PACKED}") from None
            return io.BytesIO(self.read(name))
        try:
            record = _Record(self.file, self._start_of(info), info.file_size)
        except Exception as problem:
            raise _unreadable(name, reason(problem)) from None
        self._compare(name, info, record.checksum() if self.has_checksums else info.CRC)
        return io.BufferedReader(record, _BUFFER)

    def read_array(self, name: str, expected: int | None = None) -> np.ndarray:
        """The bytes of a record, as many as its tensors need, in memory of its own."""
        info = self._found(name, expected)
        try:
            start = self._start_of(info)
            if info.compress_type == zipfile.ZIP_STORED:
                current().objects(info.file_size)
            else:
                current().copies(info.file_size)
            data = np.empty(info.file_size, np.uint8)
            self.file.seek(start)
            if info.compress_type == zipfile.ZIP_STORED:
                checksum = fill(self.file, data)
            else:
                checksum = _inflate(self.file, info.compress_size, data)
        except Damaged as problem:
            stored = info.compress_type == zipfile.ZIP_STORED
            raise _unreadable(name, f"{problem}{'' if stored else _PACKED}") from None
        except Exception as problem:
            raise _unreadable(name, reason(problem)) from None
        self._compare(name, info, checksum)
        return data

    def _compare(self, name: str, info: zipfile.ZipInfo, checksum: int) -> None:
        if self.has_checksums and checksum != info.CRC:
            raise _unreadable(
                name,
                f"its checksum is {checksum:08x}, the file promises {info.CRC:08x}: bytes have "
                "changed since it was written",
            )

    def map_array(self, name: str, expected: int) -> np.ndarray:
        """The record as the file's own pages, copied only where they are written to."""
        info = self._found(name, expected)
        if info.compress_type != zipfile.ZIP_STORED:
            raise _unreadable(name, "it is compressed and cannot be mapped; load without mmap=True")
        if not info.file_size:
            return np.empty(0, np.uint8)
        try:
            return mapped(self.file, self._start_of(info), info.file_size)
        except Exception as problem:
            raise _unreadable(name, reason(problem)) from None

    def _found(self, name: str, expected: int | None) -> zipfile.ZipInfo:
        info = self.records.get(f"{self.folder}/{name}")
        if info is None:
            raise RuntimeError(
                f"PytorchStreamReader failed locating file {clipped(name)}: file not found in the "
                "archive"
            )
        if info.flag_bits & _ENCRYPTED:
            raise _unreadable(name, "it is encrypted, and records of PyTorch's are not")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _unreadable(
                name,
                f"it is compressed by method {info.compress_type}, and records of PyTorch's are "
                "not compressed. Fix: pack the file again without compression",
            )
        if expected is not None and info.file_size != expected:
            raise _unreadable(name, f"it has {info.file_size} bytes where {expected} are expected")
        return info

    def _start_of(self, info: zipfile.ZipInfo) -> int:
        """Where a record's bytes start, if they all lie before the next record."""
        self.file.seek(info.header_offset)
        header = self.file.read(30)
        if len(header) != 30 or header[:4] != b"PK\3\4":
            raise ValueError("its header is damaged")
        name_length, extra_length = struct.unpack("<HH", header[26:])
        start = info.header_offset + 30 + name_length + extra_length
        stored = info.compress_type == zipfile.ZIP_STORED
        if stored and info.compress_size != info.file_size:
            raise ValueError("its directory gives it two sizes")
        if start + info.compress_size > self.ends[info.header_offset]:
            raise ValueError("it reaches into what follows it in the file")
        return start


class _Record(io.RawIOBase):
    """A stretch of a file as a file; others may read elsewhere in between."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self.file, self.start, self.size, self.at = file, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = max(0, offset + (0, self.at, self.size)[whence])
        return self.at

    def readinto(self, room: Any) -> int:
        self.file.seek(self.start + self.at)
        part = self.file.read(max(0, min(len(room), self.size - self.at)))
        room[: len(part)] = part
        self.at += len(part)
        return len(part)

    def checksum(self) -> int:
        """Of all of its bytes, as zip files count it."""
        found, room = 0, bytearray(_BUFFER)
        while count := self.readinto(room):
            found = zlib.crc32(memoryview(room)[:count], found)
        self.at = 0
        return found


class _Directory:
    """A file as `zipfile` may read it: a directory that would take too much memory is refused."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.seek, self.tell, self.take = file.seek, file.tell, file.read
        self.longest = allowance(size) // _DIRECTORY_TIMES
        self.length = 0

    def read(self, count: int = -1) -> bytes:
        if count > self.longest:
            raise _Refused(f"its directory of {count} bytes lists too many records for its size")
        found = self.take(count)
        self.length = max(self.length, len(found))
        return found


class _Refused(Exception):
    """An archive that would be read differently by different programs."""


def _by_name(found: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    records = {info.filename: info for info in found}
    if len(records) != len(found):
        seen: set[str] = set()
        twice = next(i.filename for i in found if i.filename in seen or seen.add(i.filename))
        raise _Refused(f"the record {brief(twice)} occurs twice in it")
    return records


def _ends(archive: zipfile.ZipFile) -> dict[int, int]:
    """For the start of each record where the next one starts: records share no bytes."""
    starts = [info.header_offset for info in archive.infolist()]
    order = sorted(set(starts))
    if len(order) != len(starts):
        raise _Refused("two of its records start at the same place")
    return dict(zip(order, [*order[1:], archive.start_dir], strict=True))


def mapped(file: Any, start: int, size: int) -> np.ndarray:
    """A part of an open file as its own pages, copied only where they are written to."""
    return np.memmap(file, np.uint8, "c", start, (size,)).view(np.ndarray)


def fill(file: BinaryIO, data: np.ndarray) -> int:
    """Read as many bytes as the array has; returns their checksum."""
    view = data.data if data.size else memoryview(b"")
    checksum = position = 0
    while position < len(view):
        part = file.read(min(_CHUNK, len(view) - position))
        if not part:
            raise ValueError(f"the file ends after {position} of its {len(view)} bytes")
        view[position : position + len(part)] = part
        checksum = zlib.crc32(part, checksum)
        position += len(part)
    return checksum


def _inflate(file: BinaryIO, size: int, data: np.ndarray) -> int:
    """Fill the array from deflated bytes, never producing more than it holds."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    view = data.data if data.size else memoryview(b"")
    checksum = position = 0
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail
        if not packed:
            packed = file.read(min(_CHUNK, size))
            size -= len(packed)
            if not packed:
                raise ValueError(f"its compressed bytes end after {position} of {len(view)}")
        part = unpacker.decompress(packed, min(_CHUNK, len(view) - position + 1))
        if position + len(part) > len(view):
            raise ValueError(f"it unpacks to more than its {len(view)} bytes")
        view[position : position + len(part)] = part
        checksum = zlib.crc32(part, checksum)
        position += len(part)
    if position != len(view):
        raise ValueError(f"its compressed bytes end after {position} of {len(view)}")
    return checksum


def _unreadable(name: str, why: str) -> RuntimeError:
    return RuntimeError(
        f"PytorchStreamReader failed reading file {clipped(name)}: file read failed: {why}"
    )
