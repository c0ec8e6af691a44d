"""Reading a folder that `checkpoints.save` wrote, or that somebody else made.

The index (`.metadata`) is JSON that can say anything: it is read entry by entry, and no number in
it is used before it is known to be one. Only plain files of the folder itself are opened.
"""

from __future__ import annotations

import io
import json
import math
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

import chainrule as torch

from ..ops import dtypes
from ..serialization import limits
from ..serialization.archive import fill
from ..serialization.limits import Damaged, brief, reason
from ..serialization.storages import only_bools
from ..serialization.tensors_file import Members, without_duplicates

METADATA = ".metadata"
_LONGEST_ENTRY = 1 << 20  # characters: ten thousand pieces of one tensor
_NOTED = 300  # bytes to remember an entry by
_MOST_OPEN = 64  # files at once


class CheckpointException(RuntimeError):
    """A checkpoint cannot be read or written."""


class Piece(NamedTuple):
    """A part of a tensor that lies in a file, from a byte on."""

    file: str
    start: int
    begins: tuple[int, ...]  # where in the whole tensor
    shape: tuple[int, ...]


class Folder:
    """The values of a checkpoint by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: dict[str, tuple[BinaryIO, int]] = {}
        try:
            with self._opened(METADATA) as opened:
                self._text = opened.read().decode("ascii")  # as `json.dumps` writes it
            with limits.counting(len(self._text)):
                self._places = _places(self._text)
        except (OSError, ValueError, RecursionError, Damaged) as problem:
            raise self.damaged(f"its index is no index ({reason(problem)})") from None
        self._size = sum(e.stat(follow_symlinks=False).st_size for e in os.scandir(path))
        self._memory_left = limits.allowance(self._size)  # for all values that are no tensors
        self._bytes_left = self._size

    def close(self) -> None:
        """Close the files that were read."""
        for opened, _ in self._files.values():
            opened.close()

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def damaged(self, what: str) -> CheckpointException:
        return CheckpointException(f"{self.path} is damaged or no checkpoint: {what}")

    # ---- files ----

    def _opened(self, name: str) -> BinaryIO:
        """A plain file of the folder; a link, a pipe or a device is none."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(self.path / name, flags | getattr(os, "O_BINARY", 0))
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return os.fdopen(handle, "rb")
        os.close(handle)
        raise self.damaged(f"{name} is a folder, a pipe or a device")

    def _file(self, name: Any) -> tuple[BinaryIO, int]:
        """A file that the index names, and its size: one beside it, and no other."""
        try:
            if type(name) is not str or os.path.basename(name) != name or name in ("", ".", ".."):
                raise OSError
            if name not in self._files:
                if len(self._files) >= _MOST_OPEN:  # a process may open a thousand or so
                    self._files.pop(next(iter(self._files)))[0].close()
                opened = self._opened(name)
                self._files[name] = opened, os.fstat(opened.fileno()).st_size
        except (OSError, ValueError, CheckpointException):
            raise self.damaged(
                f"its index names the file {brief(name)}, and there is no such file in the folder "
                "itself"
            ) from None
        return self._files[name]

    # ---- what the index says ----

    def _entry(self, name: str) -> dict[str, Any]:
        begin, end = self._places[name]
        try:
            return json.loads(self._text[begin:end], object_pairs_hook=without_duplicates)
        except (ValueError, RecursionError):
            raise self.damaged(f"its index has no entry for {brief(name)}") from None

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of a whole tensor."""
        shape = self._entry(name).get("shape")
        if not _are_lengths(shape):
            raise self.damaged(f"{brief(name)} has the shape {brief(shape)}")
        return tuple(shape)  # pyright: ignore[reportArgumentType]

    def _dtype(self, name: str, entry: dict[str, Any]) -> dtypes.dtype:
        code = entry.get("dtype")
        found = dtypes.BY_NAME.get(code) if type(code) is str else None
        if found is None or found in dtypes.NAMED:
            raise self.damaged(f"{brief(name)} has the type {brief(code)}")
        return found

    def _pieces(self, name: str, entry: dict[str, Any]) -> list[Piece]:
        """Where the parts of a tensor lie, in the order of their rows."""
        given = entry.get("pieces")
        if not isinstance(given, list) or not all(_is_piece(p) for p in given):
            raise self.damaged(f"the parts of {brief(name)} are {brief(given)}")
        pieces = [
            Piece(file, start, _begins(first, len(shape)), tuple(shape))
            for file, start, first, shape in given
        ]
        whole = self.shape_of(name)
        for piece in pieces:
            if not len(piece.begins) == len(piece.shape) == len(whole) or any(
                b + n > m for b, n, m in zip(piece.begins, piece.shape, whole, strict=True)
            ):
                raise self._unfit(name, piece)
        return sorted(pieces, key=lambda p: (p.begins, -math.prod(p.shape)))

    # ---- values ----

    def box(self, name: str, starts: Sequence[int], lengths: Sequence[int]) -> np.ndarray:
        """A part of a whole tensor, from whatever pieces have it."""
        entry = self._entry(name)
        dtype, shape = self._dtype(name, entry), self.shape_of(name)
        pieces = self._pieces(name, entry)
        if math.prod(lengths) * dtype.itemsize > self._size:
            raise self.damaged(f"{brief(name)} is larger than all of its files")
        if not shape:
            return self._scalar(name, dtype, pieces)
        whole = shape[1:]
        if tuple(lengths[1:]) == whole and all(p.shape[1:] == whole for p in pieces):
            out = self._rows(name, dtype, pieces, starts[0], lengths)
        else:
            out = self._boxes(name, dtype, pieces, starts, lengths)
        only_bools(out.reshape(-1).view(np.uint8), dtype)
        return out

    def _rows(
        self, name: str, dtype: Any, pieces: list[Piece], first: int, lengths: Sequence[int]
    ) -> np.ndarray:
        """Rows from pieces that are rows: read into their place."""
        out = np.empty(tuple(lengths), dtype.np)
        memory = out.reshape(-1).view(np.uint8)
        wide = math.prod(lengths[1:]) * dtype.itemsize
        done, end = first, first + lengths[0]
        for piece in pieces:
            begin = piece.begins[0]
            low, high = max(done, begin), min(end, begin + piece.shape[0])
            if low < high and low == done:
                part = memory[(low - first) * wide : (high - first) * wide]
                self._read(name, piece, piece.start + (low - begin) * wide, part)
                done = high
        if done < end:
            raise self.damaged(f"row {done} of {brief(name)} is in none of its files")
        return out

    def _boxes(
        self, name: str, dtype: Any, pieces: list[Piece], starts: Sequence[int],
        lengths: Sequence[int],
    ) -> np.ndarray:  # fmt: skip
        """A part from pieces that were cut along other dimensions."""
        if sum(math.prod(p.shape) for p in pieces) > 2 * math.prod(self.shape_of(name)):
            raise self.damaged(f"the {len(pieces)} parts of {brief(name)} repeat one another")
        out = np.zeros(tuple(lengths), dtype.np)
        missing = np.ones(out.shape, bool)
        for piece in pieces:
            shared = [
                (max(a, b), min(a + m, b + n))
                for a, m, b, n in zip(starts, lengths, piece.begins, piece.shape, strict=True)
            ]
            if any(low >= high for low, high in shared):
                continue
            low, high = shared[0]
            width = math.prod(piece.shape[1:]) * dtype.itemsize
            at = piece.start + (low - piece.begins[0]) * width
            if at + (high - low) * width > self._file(piece.file)[1]:
                raise self._unfit(name, piece)
            read = np.empty((high - low, *piece.shape[1:]), dtype.np)
            self._read(name, piece, at, read.reshape(-1).view(np.uint8))
            into = tuple(slice(lo - a, hi - a) for (lo, hi), a in zip(shared, starts, strict=True))
            of = [slice(lo - b, hi - b) for (lo, hi), b in zip(shared, piece.begins, strict=True)]
            out[into] = read[(slice(None), *of[1:])]
            missing[into] = False
        if missing.any():
            place = [int(n) + a for n, a in zip(np.argwhere(missing)[0], starts, strict=True)]
            raise self.damaged(f"row {place[0]} of {brief(name)} is in none of its files")
        return out

    def _read(self, name: str, piece: Piece, start: int, memory: np.ndarray) -> None:
        opened, size = self._file(piece.file)
        if start + memory.nbytes > size:
            raise self._unfit(name, piece)
        opened.seek(start)
        try:
            fill(opened, memory)
        except ValueError:  # it became shorter meanwhile
            raise self._unfit(name, piece) from None

    def _unfit(self, name: str, piece: Piece) -> CheckpointException:
        rows = piece.shape[0] if piece.shape else 1
        first = piece.begins[0] if piece.begins else 0
        return self.damaged(
            f"{piece.file} does not hold rows {brief(first)} to {brief(first + rows)} of "
            f"{brief(name)}"
        )

    def _scalar(self, name: str, dtype: Any, pieces: list[Piece]) -> np.ndarray:
        """A tensor without dimensions."""
        out = np.empty((), dtype.np)
        if not pieces:
            raise self.damaged(f"{brief(name)} is in none of its files")
        memory = out.reshape(-1).view(np.uint8)
        self._read(name, pieces[0], pieces[0].start, memory)
        only_bools(memory, dtype)
        return out

    def keys_of(self, name: str) -> list[Any]:
        """The keys that lead to a value in the nested state that was saved."""
        widths = self._entry(name).get("keys", [len(name)])
        keys, at = [], 0
        for width in widths if isinstance(widths, list) else ():
            if type(width) is not int or at > len(name):
                raise self.damaged(f"{brief(name)} has the keys {brief(widths)}")
            text = name[at : at + abs(width)]
            keys.append(int(text) if width < 0 and text.isdecimal() else text)
            at += abs(width) + 1
        if at != len(name) + 1:
            raise self.damaged(f"{brief(name)} has the keys {brief(widths)}")
        return keys

    def whole(self, name: str) -> np.ndarray:
        """A tensor with all of its parts; all tensors have no more bytes than the files."""
        shape = self.shape_of(name)
        made = self.box(name, [0] * len(shape), shape)
        self._bytes_left -= made.nbytes
        if self._bytes_left < 0:
            raise self.damaged("its tensors have more bytes than its files: they repeat others")
        return made

    def is_tensor(self, name: str) -> bool:
        """Whether a value is a tensor."""
        return self._entry(name).get("kind") == "tensor"

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def thing(self, name: str) -> Any:
        """A value that is no tensor; only plain types are read."""
        entry = self._entry(name)
        opened, size = self._file(entry.get("file"))
        start, length = entry.get("start"), entry.get("length")
        if not _are_lengths([start, length]) or start + length > size:  # type: ignore[operator]
            raise self.damaged(f"{brief(name)} lies at {brief(start)}, of length {brief(length)}")
        opened.seek(start)  # pyright: ignore[reportArgumentType]
        try:
            with limits.counting(self._size) as spending:
                spending.memory_left = self._memory_left
                found = torch.load(io.BytesIO(opened.read(length)), weights_only=True)  # pyright: ignore[reportArgumentType]
                self._memory_left = spending.memory_left
            return found
        except Exception as problem:
            told = str(problem).partition("\n  load at")[0]
            raise self.damaged(f"{brief(name)} cannot be read: {told}") from None


def _places(text: str) -> dict[str, tuple[int, int]]:
    """Where the entry of each value begins and ends in the index."""
    found: dict[str, tuple[int, int]] = {}
    for name, at in (top := Members(text, 0)):
        if name != "values":
            top.at = _past_number(text, at)
            continue
        for value, begin in (members := Members(text, at)):
            end = text.find("}", begin, begin + _LONGEST_ENTRY) + 1
            if text[begin : begin + 1] != "{" or not end or value in found:
                raise ValueError(f"the entry of {brief(value)}")
            limits.current().objects(_NOTED + len(value))
            found[value], members.at = (begin, end), end
        top.at = members.at
    return found


def _past_number(text: str, at: int) -> int:
    """The end of the number of the format."""
    end = at
    while end < at + 9 and text[end : end + 1].isdigit():
        end += 1
    return end


def _are_lengths(values: Any) -> bool:
    """Whether all are whole numbers that can count bytes or rows of something."""
    return (
        isinstance(values, list)
        and len(values) <= 64
        and all(type(n) is int and 0 <= n < 1 << 48 for n in values)
    )


def _is_piece(piece: Any) -> bool:
    return (
        isinstance(piece, list)
        and len(piece) == 4
        and type(piece[0]) is str
        and _are_lengths(piece[1:2])
        and _are_lengths(piece[2] if isinstance(piece[2], list) else [piece[2]])
        and _are_lengths(piece[3])
    )


def _begins(first: Any, ndim: int) -> tuple[int, ...]:
    """Where a piece begins: older checkpoints tell its first row alone."""
    return tuple(first) if isinstance(first, list) else (first, *[0] * (ndim - 1))[:ndim]
