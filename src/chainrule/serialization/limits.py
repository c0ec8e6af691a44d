"""What reading a file may cost: memory and work in proportion to its size.

A few bytes can describe very much: a list that holds another one a thousand times, thirty levels
deep, has a billion items for whoever walks it. So nothing in a file is walked, hashed, copied or
shown without being counted here first.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from ..autograd.printable import printable

_MEGABYTE = 1 << 20
# Of the 64 MB and four times the file that a load may take: what allocators round up, and the
# library's own modules, come on top of what is counted.
_COUNTED_MEGABYTES, _COUNTED_TIMES = 53, 4
_PICKLE, _PICKLE_GROWTH = 1 << 18, 20  # bytes; pickles of state dicts become about a quarter
_GENEROUS = 24  # times the size of a file, for the objects of any honest one
_NOTED = 200  # bytes to remember a nested tuple by
_DEEPEST = 1000  # tuples in tuples: Python hashes them by recursion in C, without a limit


class Damaged(Exception):
    """The bytes are no pickle, or not a whole one, or ask for more than they justify."""


def allowance(size: int) -> int:
    """Bytes of memory that may be counted for a file of that size."""
    return max(_COUNTED_MEGABYTES * _MEGABYTE + _COUNTED_TIMES * size, _CURRENT.allowed)


class Spending:
    """What has been spent on one file. Each method raises when its allowance is used up."""

    def __init__(self, size: int, later: list[Any] | None = None) -> None:
        self.size = size
        self.later = later  # what waits for bytes that follow the pickle; None: they are there
        self.memory = allowance(size)
        self.memory_left = self.memory
        self.copies_left = 24 * _MEGABYTE + 2 * size
        self.work_left = 1_000_000 + 16 * size
        self.inserted = 0
        self.inserting = 0.0

    def objects(self, count: int) -> None:
        """Bytes of memory for Python objects."""
        self.memory_left -= count
        if self.memory_left < 0:
            raise Damaged(
                f"its {self.size} bytes describe objects that take more than "
                f"{self.memory // _MEGABYTE} MB of memory. If you know that it holds that many "
                "Python objects, allow them: `with torch.serialization.allow_memory("
                f"{max(_GENEROUS * self.size, 2 * self.memory)}):` around the load"
            )

    def moment(self, count: int) -> None:
        """Bytes that are needed for a moment and given back at once."""
        self.objects(count)
        self.memory_left += count

    def copies(self, count: int) -> None:
        """Bytes of tensors beyond those that lie in the file as they are."""
        self.copies_left -= count
        self.objects(count)
        if self.copies_left < 0:
            raise Damaged(
                f"its {self.size} bytes describe tensors that would be copied to more than "
                f"{(24 * _MEGABYTE + 2 * self.size) // _MEGABYTE} MB"
            )

    def instructions(self, packed: int, unpacked: int) -> None:
        """A compressed pickle: each of its bytes takes time, whatever they were packed into."""
        if unpacked > _PICKLE + _PICKLE_GROWTH * packed:
            raise Damaged(f"it unpacks from {packed} bytes to {unpacked}")

    def work(self, steps: int) -> None:
        """Steps of walking, hashing and comparing."""
        self.work_left -= steps
        if self.work_left < 0:
            raise Damaged(
                "it holds containers that repeat one another so often that using them as keys, "
                "sizes or items of sets would take for ever"
            )

    def insertions(self, count: int, seconds: float) -> None:
        """Keys put into dicts and sets: those that collide on purpose take far too long."""
        self.inserted += count
        self.inserting += seconds
        if self.inserting > 0.25 + 5e-6 * self.inserted:
            raise Damaged(f"its {self.inserted} keys are chosen to collide in dicts or sets")


class _Unlimited(Spending):
    """For files that are trusted: what they run is not counted either."""

    def __init__(self, size: int, later: list[Any] | None = None) -> None:
        super().__init__(size, later)
        self.memory_left = sys.maxsize

    def objects(self, count: int) -> None: ...
    def moment(self, count: int) -> None: ...
    def copies(self, count: int) -> None: ...
    def instructions(self, packed: int, unpacked: int) -> None: ...
    def work(self, steps: int) -> None: ...
    def insertions(self, count: int, seconds: float) -> None: ...


class _Current(threading.local):
    allowed = 0  # bytes that the user allows whatever the size of a file
    spending: Spending


_CURRENT = _Current()
_Current.spending = _Unlimited(0)


@contextlib.contextmanager
def allow_memory(nbytes: int) -> Iterator[None]:
    """Let loads of this thread make Python objects of up to so many bytes, however small the file.

    For files of your own that hold tens of megabytes of whole numbers, words or small containers
    and no tensors: without it a load takes at most 64 MB and four times the file, and Python needs
    six to twelve times the file for such.

    >>> import io
    >>> import chainrule as torch
    >>> file = io.BytesIO()
    >>> torch.save({"words": ["a", "b"]}, file)
    >>> _ = file.seek(0)
    >>> with torch.serialization.allow_memory(2 << 30):
    ...     torch.load(file)
    {'words': ['a', 'b']}
    """
    if not isinstance(nbytes, int) or isinstance(nbytes, bool) or nbytes < 0:
        raise TypeError(f"allow_memory(): a number of bytes is needed, not {brief(nbytes)}")
    before, _CURRENT.allowed = _CURRENT.allowed, nbytes
    try:
        yield
    finally:
        _CURRENT.allowed = before


def current() -> Spending:
    """The account of the file that this thread is reading."""
    return _CURRENT.spending


@contextlib.contextmanager
def counting(
    size: int, later: list[Any] | None = None, trusted: bool = False
) -> Iterator[Spending]:
    """Count what is done inside for a file of that size; a file in a file spends of both."""
    before = _CURRENT.spending
    made = _CURRENT.spending = (_Unlimited if trusted else Spending)(size, later)
    made.memory_left = first = min(made.memory_left, before.memory_left)
    try:
        yield made
    finally:
        _CURRENT.spending = before
        before.memory_left -= first - made.memory_left


class Nesting:
    """How much hashing or comparing a tuple or frozen set takes, and how deep it goes.

    Both count every path, as the interpreter walks them. Known when they are made: what they hold
    cannot change afterwards, and lists and dicts in them stop a hash.
    """

    def __init__(self) -> None:
        self.known: dict[int, tuple[Any, int, int]] = {}  # keeps the object: ids must not be reused

    def note(self, made: Any) -> Any:
        """Remember a new tuple or frozen set if it is more than a row of plain values."""
        weight, depth = 1, 0
        for item in made:
            kind = type(item)
            if kind is tuple or kind is frozenset:
                _, inner, below = self.known.get(id(item), (None, 1 + len(item), 1))
                weight += inner
                depth = max(depth, below)
            else:
                weight += self.weight(item)
        if depth >= _DEEPEST:
            raise Damaged(f"its tuples lie in each other more than {_DEEPEST} levels deep")
        if depth or weight != 1 + len(made):
            current().objects(_NOTED)
            self.known[id(made)] = made, min(weight, 1 << 62), depth + 1
        return made

    def weight(self, value: Any) -> int:
        """Steps to hash a value once."""
        if isinstance(value, tuple | frozenset):
            return self.known.get(id(value), (None, 1 + len(value)))[1]
        if type(value) is int:
            return 1 + (value.bit_length() >> 8)
        if isinstance(value, str | bytes):
            return 1 + (len(value) >> 8)
        return 1


_CHUNK = 1 << 16


def decoded(data: bytes) -> str:
    """Bytes of a file as text: one wide letter makes Python take four bytes for each of them."""
    if len(data) > _CHUNK and not data.isascii():
        widest = letters = 0
        for at in range(0, len(data), _CHUNK):
            part = data[at : at + _CHUNK].translate(None, _CONTINUED)
            widest, letters = max(widest, max(part, default=0)), letters + len(part)
        width = 1 if widest < 0xC4 else 2 if widest < 0xF0 else 4
        current().moment(len(data) + (1 + width) * letters)
    return data.decode("utf-8", "surrogatepass")


_CONTINUED = bytes(range(0x80, 0xC0))  # bytes inside of a letter, in UTF-8


# ---- words about what a file holds ---------------------------------------------------------------

_LONGEST = 200


def brief(value: Any, depth: int = 3) -> str:
    """A value of a file in an error message: like repr, but short and quick whatever it is."""
    if type(value) is int:
        bits = value.bit_length()
        return repr(value) if bits < 256 else f"<a number of {bits} bits>"
    if value is None or type(value) in (bool, float, complex):
        return repr(value)
    if type(value) in (str, bytes):
        return repr(value) if len(value) <= 100 else f"{value[:100]!r}..."
    for kind, opening, closing in ((list, "[", "]"), (tuple, "(", ")"), (set, "{", "}"),
                                   (frozenset, "frozenset({", "})")):  # fmt: skip
        if isinstance(value, kind):
            alone = "," if kind is tuple and len(value) == 1 else ""
            return opening + _items(value, depth, brief) + alone + closing
    if isinstance(value, dict):
        return "{" + _items(value.items(), depth, _pair) + "}"
    shown = getattr(value, "shown", None)  # a name that is not allowed
    return shown if isinstance(shown, str) else f"<{type(value).__name__}>"


def _items(values: Any, depth: int, show: Any) -> str:
    if not depth:
        return "..." if values else ""
    parts, length = [], 0
    for value in values:
        if length > _LONGEST // 2 or len(parts) == 6:
            parts.append("...")
            break
        parts.append(show(value, depth - 1))
        length += len(parts[-1])
    return ", ".join(parts)


def _pair(pair: tuple[Any, Any], depth: int) -> str:
    return f"{brief(pair[0], depth)}: {brief(pair[1], depth)}"


def clipped(text: str, longest: int = 2 * _LONGEST) -> str:
    """Text that came from a file: no longer than a message can bear, nothing unprintable in it."""
    return printable(text if len(text) <= longest else text[:longest] + "...")


def reason(problem: BaseException) -> str:
    """What an exception says, if it says it in words: others would show whole values."""
    if all(isinstance(part, str | int) and not isinstance(part, bool) for part in problem.args):
        return clipped(", ".join(part if isinstance(part, str) else brief(part)
                                 for part in problem.args)) or type(problem).__name__  # fmt: skip
    return type(problem).__name__
