"""Folders of distributed checkpoints: an index by grammar, with absurd parts, and a file of bytes.

Both travel as one string of bytes: the length of the index, the index, the file.
"""

from __future__ import annotations

import functools
import json
import os
import struct
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import chainrule as torch

from .grammar import ABSURD, WORDS, Pickles, blocks_of, zipped

_NAMES = ("w", "b", "s", "n", "l.0", "l.1", "opt.lr", "x", "", "é")
_ANYTHING: tuple[Any, ...] = (
    None, True, -1, 1.5, float("nan"), "x", "0.bin", "../0.bin", "/etc/passwd", ".", ".metadata",
    "a\0b", [], [[]], {}, {"a": 1}, [1] * 70, "x" * 5000, [[[[[]]]]], *ABSURD,
)  # fmt: skip


def state() -> dict[str, Any]:
    """What a program wants to be filled."""
    return {
        "w": torch.zeros(4, 3), "b": torch.zeros(5, dtype=torch.bool), "s": torch.tensor(0.0),
        "n": 0, "l": [0, torch.zeros(2, 2)], "opt": {"lr": 0.1},
    }  # fmt: skip


@functools.cache
def _good() -> tuple[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        torch.distributed.checkpoint.save(state(), checkpoint_id=path)
        return Path(path, ".metadata").read_text(), Path(path, "0.bin").read_bytes()


def folder(chance: Random) -> bytes:
    """A folder, most often one that was good before something in it was replaced."""
    words, data = _good()
    if chance.random() < 0.15:
        return packed(_noise(chance, words), data)
    held = json.loads(words)
    for _ in range(chance.randrange(1, 4)):
        _changed(chance, held["values"], len(data))
    if chance.random() < 0.3:  # another program in place of a value
        made = Pickles(chance)
        program = made.program()
        records = [("archive/data.pkl", program)]
        records += [(f"archive/data/{key}", block) for key, block in blocks_of(made).items()]
        more = zipped(chance, records)
        held["values"]["n"] = {"file": "0.bin", "start": len(data), "length": len(more)}
        data += more
    if chance.random() < 0.2:
        data = data[: chance.randrange(len(data))]
    return packed(json.dumps(held), data)


def _changed(chance: Random, values: dict[str, Any], room: int) -> None:
    name = chance.choice(_NAMES)
    entry = values.get(name)
    if not isinstance(entry, dict) or chance.random() < 0.1:
        values[name] = chance.choice([*_ANYTHING, *values.values()])
        return
    key = chance.choice([*entry, "more"])
    value = chance.choice(_ANYTHING)
    if key == "pieces" and isinstance(entry[key], list) and chance.random() < 0.8:
        _change_pieces(chance, entry[key], value, room)
    elif key in ("start", "length"):
        entry[key] = chance.choice([value, chance.randrange(room), room])
    else:
        entry[key] = value


def _change_pieces(chance: Random, pieces: list[Any], value: Any, room: int) -> None:
    kind = chance.randrange(4)
    if kind == 0:
        pieces *= chance.choice([0, 2, 3000])
    elif kind == 1:
        pieces.append(value)
    elif pieces and isinstance(pieces[0], list) and pieces[0]:
        piece = pieces[chance.randrange(len(pieces))]
        if isinstance(piece, list) and piece:
            near = [value, chance.randrange(room), [4, 3], [2, 3], [1], chance.randrange(6)]
            piece[chance.randrange(len(piece))] = chance.choice(near)


def _noise(chance: Random, words: str) -> str:
    """An index that is not even one in form."""
    at = chance.randrange(len(words))
    return chance.choice([
        words[:at], words[:at] + chance.choice(WORDS) + words[at:], "[" * 5000,
        '{"values":' * 5000, '{"values":{"w":' + "[" * 50_000, words + words,
        '{"values":{' + ",".join(f'"k{k}":{{}}' for k in range(3000)) + "}}",
        words.replace("}", "]", 1), "", "null", words[:at] + "9" * 5000 + words[at:],
    ])  # fmt: skip


def packed(words: str, data: bytes) -> bytes:
    """Both files as one string of bytes."""
    index = words.encode("utf-8", "surrogatepass")
    return struct.pack("<I", len(index)) + index + data


def unpack(made: bytes, where: str) -> None:
    """Write the two files into a folder."""
    (length,) = struct.unpack("<I", made[:4].ljust(4, b"\0"))
    os.makedirs(where, exist_ok=True)
    Path(where, ".metadata").write_bytes(made[4 : 4 + length])
    Path(where, "0.bin").write_bytes(made[4 + length :])
