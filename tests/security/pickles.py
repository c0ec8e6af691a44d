"""Hostile pickles in few words, and the three kinds of file they can lie in."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
import zlib
from typing import Any

STOP = b"."


def text(value: str) -> bytes:
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def number(value: int) -> bytes:
    data = pickle.encode_long(value)
    return b"\x8b" + struct.pack("<I", len(data)) + data


def name(module: str, attribute: str) -> bytes:
    return f"c{module}\n{attribute}\n".encode()


def put(index: int) -> bytes:
    return b"r" + struct.pack("<I", index)


def get(index: int) -> bytes:
    return b"j" + struct.pack("<I", index)


def call(function: bytes, *args: bytes) -> bytes:
    return function + b"(" + b"".join(args) + b"tR"


def numbers(values: Any) -> bytes:
    return b"(" + b"".join(map(number, values)) + b"t"


def storage(kind: str = "FloatStorage", key: str = "0", count: int = 4) -> bytes:
    """A reference to a storage of the file."""
    parts = text("storage"), name("torch", kind), text(key), text("cpu"), number(count)
    return b"(" + b"".join(parts) + b"tQ"


def tensor(size: Any, stride: Any, offset: int = 0, block: bytes = b"", more: bytes = b"") -> bytes:
    """A tensor on a storage."""
    place = (block or storage(), number(offset), numbers(size), numbers(stride))
    return call(name("torch._utils", "_rebuild_tensor_v2"), *place, b"\x89", b"N", more)


def bomb(levels: int, width: int, kind: bytes) -> bytes:
    """Containers that each hold the one before them many times."""
    made = b"(K\x01" + kind + put(0)
    for level in range(1, levels):
        made += b"0(" + get(level - 1) * width + kind + put(level)
    return made


def archive(program: bytes, records: dict[str, bytes] | None = None, **options: Any) -> bytes:
    """A file of today's format."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as opened:
        opened.writestr("archive/data.pkl", program)
        opened.writestr("archive/byteorder", b"little")
        for key, data in (records or {}).items():
            opened.writestr(f"archive/data/{key}", data)
    return file.getvalue()


def legacy(program: bytes, blocks: dict[str, tuple[int, bytes]] | None = None) -> bytes:
    """A file of the format before PyTorch 1.6."""
    blocks = blocks or {}
    head = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}]
    parts = [pickle.dumps(part, 2) for part in head]
    parts += [b"\x80\x02" + program, pickle.dumps(list(blocks), 2)]
    parts += [struct.pack("<q", count) + data for count, data in blocks.values()]
    return b"".join(parts)


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()
