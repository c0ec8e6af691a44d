"""Archives written byte by byte, so that every field of them can lie."""

from __future__ import annotations

import struct
import zlib
from random import Random
from typing import NamedTuple

_NAMES = (
    b"../../etc/passwd", b"/etc/passwd", b"a\\b", b"\0", b"archive/data/../data.pkl", b"",
    b"x" * 60_000, b"archive/\xff\xfe", b"archive/\x1b[2J", b"ARCHIVE/DATA.PKL",
)  # fmt: skip
_METHODS = (8, 8, 8, 1, 9, 12, 14, 93, 99)
_FLAGS = (
    0x0001,
    0x0008,
    0x0020,
    0x0040,
    0x2000,
)  # encrypted, sizes follow, patched, strong, hidden
_SIZES = (0, 1, 1 << 31, 0xFFFFFFFE, 0xFFFFFFFF)
_WIDE = (0, 1, 1 << 31, 1 << 40, 1 << 62, 1 << 63, (1 << 64) - 1)


class _Record(NamedTuple):
    """One record as its two headers tell of it."""

    name: bytes
    flags: int
    method: int
    checksum: int
    packed: int
    size: int
    extra: bytes


class Liar:
    """Writes an archive; each thing it says is wrong with some probability."""

    def __init__(self, chance: Random, folder: str) -> None:
        self.chance = chance
        self.folder = folder
        self.rate = chance.choice([0.0, 0.02, 0.02, 0.1])
        self.made = bytearray()
        self.directory = bytearray()
        self.starts: list[int] = []

    def lies(self) -> bool:
        return self.chance.random() < self.rate

    def either(self, truth: int, *others: int) -> int:
        """The truth, one of the others, or nearly the truth."""
        if not self.lies():
            return truth
        return self.chance.choice([*others, truth + 1, max(truth - 1, 0)])

    def archive(self, records: list[tuple[str, bytes]]) -> bytes:
        if self.lies():
            records = [*records, self.chance.choice(records)]
        if self.lies():
            self.chance.shuffle(records)
        if self.lies():
            self.made += b"MZ" + bytes(30)
        for name, data in records:
            self.record(f"{self.folder}/{name}".encode(), data)
        if self.lies():
            self.many_entries()
        return self.ended(len(records))

    def record(self, name: bytes, data: bytes) -> None:
        told, body = self.told(name, data)
        start = len(self.made)
        if self.lies():
            start = self.chance.choice([*self.starts, start + 10, 1 << 31, 0xFFFFFFFF])
        self.starts.append(start)
        other = told._replace(
            name=self.chance.choice(_NAMES) if self.lies() else told.name,
            packed=self.either(told.packed, *_SIZES),
            size=self.either(told.size, *_SIZES),
        )
        padding = bytes(-(len(self.made) + 34 + len(other.name)) % 64)
        extra = struct.pack("<HH", 0x4246, len(padding)) + padding
        sign = b"PK\3\4" if not self.lies() else b"PK\7\7"
        self.made += struct.pack(
            "<4s5H3L2H", sign, 20, other.flags, other.method, 0, 33, other.checksum,
            other.packed & 0xFFFFFFFF, other.size & 0xFFFFFFFF, len(other.name),
            min(self.either(len(extra), 0xFFFF, 0), 0xFFFF),
        ) + other.name + extra + body  # fmt: skip
        if told.flags & 8:
            self.made += struct.pack("<4s3L", b"PK\7\x08", told.checksum, told.packed, told.size)
        self.entry(told, start)

    def told(self, name: bytes, data: bytes) -> tuple[_Record, bytes]:
        """What the directory says of a record, and the bytes that are written for it."""
        method = self.chance.choice(_METHODS) if self.lies() else 0
        body = data
        if method == 8:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            body = packer.compress(data) + packer.flush()
        extra = b""
        if self.lies():
            wide = [self.chance.choice([len(data), *_WIDE]) for _ in range(3)]
            length = self.chance.choice([0, 8, 16, 24, 60_000])
            extra = struct.pack("<HH3Q", 1, length, *wide)[: 4 + min(length, 24)]
        found = _Record(
            name=self.chance.choice(_NAMES) if self.lies() else name,
            flags=0x0800 | (self.chance.choice(_FLAGS) if self.lies() else 0),
            method=method,
            checksum=self.either(zlib.crc32(data), 0) & 0xFFFFFFFF,
            packed=self.either(len(body), *_SIZES) & 0xFFFFFFFF,
            size=self.either(len(data), *_SIZES) & 0xFFFFFFFF,
            extra=extra,
        )
        return found, body

    def entry(self, told: _Record, start: int) -> None:
        self.directory += struct.pack(
            "<4s6H3L5H2L", b"PK\1\2", 20, self.either(20, 99), told.flags, told.method, 0, 33,
            told.checksum, told.packed, told.size, len(told.name), len(told.extra), 0, 0, 0, 0,
            start & 0xFFFFFFFF,
        ) + told.name + told.extra  # fmt: skip

    def many_entries(self) -> None:
        """A directory of very many records that are not there."""
        count = self.chance.choice([100, 3000])
        for number in range(count):
            name = b"%s/%d" % (self.folder.encode(), number)
            self.entry(_Record(name, 0x0800, 0, 0, 0, 0, b""), number)

    def ended(self, count: int) -> bytes:
        start, length = len(self.made), len(self.directory)
        made = self.made + self.directory
        if self.lies():
            place = len(made)
            made += struct.pack(
                "<4sQ2H2L4Q", b"PK\6\6", self.chance.choice([44, 0, 1 << 63]), 45, 45, 0, 0,
                *(self.chance.choice([truth, truth, *_WIDE]) for truth in
                  (count, count, length, start)),
            )  # fmt: skip
            made += struct.pack(
                "<4sLQL", b"PK\6\7", 0, self.chance.choice([place, place, 0, 1 << 62]), 1
            )
        comment = self.chance.choice([b"x" * 0xFFFF, b"PK\5\6" + bytes(18)]) if self.lies() else b""
        made += struct.pack(
            "<4s4H2LH", b"PK\5\6", self.either(0, 1), 0, self.either(count, 0, 0xFFFF),
            self.either(count, 0, 0xFFFF), self.either(length, *_SIZES) & 0xFFFFFFFF,
            self.either(start, *_SIZES) & 0xFFFFFFFF, min(self.either(len(comment), 5), 0xFFFF),
        )  # fmt: skip
        made += comment
        return bytes(made[: self.chance.randrange(len(made))] if self.lies() else made)
