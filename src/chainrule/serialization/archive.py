"""PyTorch's archive: an uncompressed zip file whose records start at multiples of 64 bytes.

The records lie in a folder named after the file: `data.pkl` (the pickled object, with numbers in
place of storages), `data/0`, `data/1`, ... (the bytes of the storages) and a few small ones that
say how it was written. Aligned records can be mapped into memory as they are.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import Any, BinaryIO

import numpy as np

ALIGNMENT = 64
ZIP64_FROM = 0xFFFFFFFF  # sizes and offsets from here on need the 64-bit fields
_CHUNK = 1 << 20
_UTF8_NAMES = 0x0800
_PADDING_TAG = b"FB"


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
            self.zip = zipfile.ZipFile(file)
            self.records = {info.filename: info for info in self.zip.infolist()}
        except Exception as problem:  # zipfile meets damage in many ways
            raise RuntimeError(
                "PytorchStreamReader failed reading zip archive: failed finding central "
                f"directory. The file is incomplete or damaged ({problem})"
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

    def read_array(self, name: str) -> np.ndarray:
        """The bytes of a record as an array with memory of its own."""
        info = self._found(name)
        try:
            if info.compress_type != zipfile.ZIP_STORED:
                return np.frombuffer(bytearray(self.zip.read(info)), np.uint8)
            data = np.empty(info.file_size, np.uint8)
            self.file.seek(self._start_of(info))
            checksum = _fill(self.file, data)
        except Exception as problem:
            raise _unreadable(name, str(problem)) from None
        if self.has_checksums and checksum != info.CRC:
            raise _unreadable(
                name,
                f"its checksum is {checksum:08x}, the file promises {info.CRC:08x}: bytes have "
                "changed since it was written",
            )
        return data

    def map_array(self, name: str, path: str) -> np.ndarray:
        """The record as the file's own pages, copied only where they are written to."""
        info = self._found(name)
        if info.compress_type != zipfile.ZIP_STORED:
            raise _unreadable(name, "it is compressed and cannot be mapped; load without mmap=True")
        if not info.file_size:
            return np.empty(0, np.uint8)
        try:
            start = self._start_of(info)
            return np.memmap(path, np.uint8, "c", start, (info.file_size,)).view(np.ndarray)
        except Exception as problem:
            raise _unreadable(name, str(problem)) from None

    def _found(self, name: str) -> zipfile.ZipInfo:
        info = self.records.get(f"{self.folder}/{name}")
        if info is None:
            raise RuntimeError(
                f"PytorchStreamReader failed locating file {name}: file not found in the archive"
            )
        return info

    def _start_of(self, info: zipfile.ZipInfo) -> int:
        self.file.seek(info.header_offset)
        header = self.file.read(30)
        if len(header) != 30 or header[:4] != b"PK\3\4":
            raise ValueError("its header is damaged")
        name_length, extra_length = struct.unpack("<HH", header[26:])
        return info.header_offset + 30 + name_length + extra_length


def _fill(file: BinaryIO, data: np.ndarray) -> int:
    """Read as many bytes as the array has; returns their checksum."""
    view = memoryview(data) if data.size else memoryview(b"")
    checksum = position = 0
    while position < len(view):
        part = file.read(min(_CHUNK, len(view) - position))
        if not part:
            raise ValueError(f"the file ends after {position} of its {len(view)} bytes")
        view[position : position + len(part)] = part
        checksum = zlib.crc32(part, checksum)
        position += len(part)
    return checksum


def _unreadable(name: str, why: str) -> RuntimeError:
    return RuntimeError(f"PytorchStreamReader failed reading file {name}: file read failed: {why}")
