"""Files of megabytes that repeat what takes most memory for its bytes: many small things.

Each shape is a few bytes of pickle (with its number in it where values are to differ), repeated
until the file has its size, in one list or thousand by thousand, in an archive or an old file,
beside a zip directory of thousands of records or without.
"""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from collections.abc import Callable
from random import Random

from .grammar import NAMES, called, named, text

_THOUSAND = 1000


def _short(value: bytes) -> bytes:
    return b"\x8c" + bytes([len(value)]) + value


def _int32(value: int) -> bytes:
    return b"J" + struct.pack("<i", value & 0x7FFFFFFF)


_FIRST = (  # what the shapes below get out of the memo
    named("collections", "OrderedDict") + b"\x940", named("collections", "Counter") + b"\x940",
    named("torch", "Size") + b"\x940", named("torch", "device") + b"\x940",
    named("builtins", "complex") + b"\x940", named("_codecs", "encode") + b"\x940",
    named("builtins", "bytearray") + b"\x940", text("cpu") + b"\x940", text("latin1") + b"\x940",
    b"G" + struct.pack(">d", 1.5) + b"\x940", b"\x8f\x940", b"}\x940",
    called(named("collections", "OrderedDict")) + b"\x940",
)  # fmt: skip
_SHAPES: tuple[Callable[[int], bytes], ...] = (
    lambda k: b"]", lambda k: b"}", lambda k: b"\x8f", lambda k: b")", lambda k: b"N",
    lambda k: b"N\x85", lambda k: b"N\x85\x85", lambda k: b"N\x85\x85\x85\x85",
    lambda k: b"]\x94", lambda k: b"]Na", lambda k: b"]NaNaNaNaNa", lambda k: b"}NNs",
    lambda k: b"](NNNNNe", lambda k: b"(NNNNNt", lambda k: b"(NNNNNl", lambda k: b"(d",
    lambda k: b"K" + bytes([k % 256]), lambda k: b"M" + struct.pack("<H", k % 65536), _int32,
    lambda k: b"G" + struct.pack(">d", k + 0.5), lambda k: b"\x8a\x05" + struct.pack("<Ib", k, 1),
    lambda k: b"I%d\n" % k, lambda k: b"F%d.5\n" % k,
    lambda k: _short(chr(65536 + k % 9999).encode()),
    lambda k: _short(b"%x" % (k % 4096)), lambda k: _short(b"%08x" % k), lambda k: b"C\0",
    lambda k: b"C\2" + struct.pack("<H", k % 65536), lambda k: b"\x96" + bytes(8),
    lambda k: b"\x8f(K\0K\1K\2K\3K\4K\5\x90", lambda k: b"\x8f(" + _int32(k) + b"\x90",
    lambda k: b"(\x91", lambda k: b"(K\0K\1K\2K\3K\4\x91", lambda k: b"((K\0K\1t\x91",
    lambda k: b"h\0)R", lambda k: b"h\0)RNNs", lambda k: b"h\0)R}" + _short(b"a") + b"Nsb",
    lambda k: b"h\1)R", lambda k: b"h\1}Ns\x85R", lambda k: b"h\2)\x85R", lambda k: b"h\2)R",
    lambda k: b"h\2K\1K\1K\1\x87\x85R", lambda k: b"h\3h\7\x85R", lambda k: b"h\4h\th\t\x86R",
    lambda k: b"h\5h\7h\x08\x86R", lambda k: b"h\6h\7h\x08\x86R", lambda k: b"h\6)R",
    lambda k: b"h\n(" + _int32(k) + b"\x90", lambda k: b"h\x0b" + _int32(k) + b"Ns",
    lambda k: b"h\x0b" + _short(b"%x" % k) + b"Ns", lambda k: b"h\x0c" + _int32(k) + b"Ns",
    lambda k: b"Nr" + struct.pack("<I", 2 * k + 50), lambda k: b"cos%d\nsystem\n" % k,
    lambda k: named(*NAMES[k % 8]), lambda k: _short(b"%06x" % k) + b"\x94" + _int32(k),
    lambda k: b"h\0]" + text("k") + _int32(k) + b"\x86a\x85R",
)  # fmt: skip
# How a thousand of them are put together, and what they are put into.
_COLLECTED = (
    (b"]", b"(", b"e"), (b"]", b"(", b"e"), (b"}", b"(", b"u"), (b"\x8f", b"(", b"\x90"),
    (b"(", b"", b""), (b"(", b"(", b"t"), (b"h\x0c", b"(", b"u"), (b"]", b"(", b"1"),
)  # fmt: skip


def _program(chance: Random, size: int) -> bytes:
    shapes = [chance.choice(_SHAPES) for _ in range(chance.choice([1, 1, 1, 2, 3]))]
    first, opening, closing = chance.choice(_COLLECTED)
    made, length, k = [b"\x80\4", *_FIRST, first], 0, 0
    while length < size:
        some = b"".join(shape(k + n) for n in range(_THOUSAND // len(shapes)) for shape in shapes)
        made.append(opening + some + closing)
        length += len(some)
        k += _THOUSAND
    return b"".join(made) + (b"l." if first == b"(" else b".")


def bulk(chance: Random) -> bytes:
    """A large file of small things."""
    size = int(10 ** chance.uniform(5, 6.6))
    program = _program(chance, size)
    if chance.random() < 0.2:
        head = [pickle.dumps(x, 2) for x in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True})]
        return b"".join([*head, program, pickle.dumps([], 2)])
    file = io.BytesIO()
    packed = chance.choice([zipfile.ZIP_STORED] * 4 + [zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("archive/data.pkl", program, packed, 1)
        if chance.random() < 0.2:
            for k in range(chance.choice([100, 3000, 10_000])):
                opened.writestr(f"archive/{k}", b"")
        if chance.random() < 0.3:  # bytes of which nothing is made
            opened.writestr("archive/data/0", bytes(chance.randrange(size)))
    return file.getvalue()
