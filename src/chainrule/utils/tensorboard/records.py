"""Event files: records of a length, its checksum, the bytes and their checksum."""

from __future__ import annotations

import functools
import struct
from typing import BinaryIO

_POLYNOMIAL = 0x82F63B78  # CRC-32C, bits reversed
_MASK = 0xA282EAD8


@functools.cache
def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return tuple(table)


def crc32c(data: bytes) -> int:
    """The Castagnoli checksum, which zlib does not have.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    table = _table()
    rest = 0xFFFFFFFF
    for byte in data:
        rest = table[(rest ^ byte) & 0xFF] ^ rest >> 8
    return rest ^ 0xFFFFFFFF


def masked(checksum: int) -> int:
    """A checksum that may itself be part of checked data."""
    return ((checksum >> 15 | checksum << 17) + _MASK) & 0xFFFFFFFF


class RecordWriter:
    """Appends records to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def write(self, data: bytes) -> None:
        """Append one record."""
        length = struct.pack("<Q", len(data))
        self.file.write(length + struct.pack("<I", masked(crc32c(length))))
        self.file.write(data + struct.pack("<I", masked(crc32c(data))))
