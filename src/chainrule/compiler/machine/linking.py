"""Load an object file without LLVM: a linker for the few things that kernels' code contains.

Code from the cache then costs a millisecond instead of the tenth of a second that loading LLVM
takes.  It knows ELF files for x86-64 on Linux, and raises `Unsupported` on anything else.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Callable
from typing import NamedTuple

_ALLOCATED = 0x2
_SYMBOLS, _RELOCATIONS, _NO_BITS = 2, 4, 8
_ABSOLUTE64, _RELATIVE32, _CALL32 = 1, 2, 4
_BY_TABLE = (9, 41, 42)  # the relative place of a word that holds the address
_STUB = b"\xff\x25\x00\x00\x00\x00"  # jmp [rip]: the address follows
_STUB_BYTES = 16
Resolve = Callable[[str], int | None]


class Unsupported(Exception):
    """The object is not one this linker can load."""


class _Section(NamedTuple):
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    align: int


class Code:
    """Machine code in memory, alive as long as this object."""

    def __init__(self, data: bytes, resolve: Resolve = lambda name: None) -> None:
        """`resolve` gives the address of a name that the C library does not have."""
        if sys.platform != "linux" or data[:6] != b"\x7fELF\x02\x01" or data[18:20] != b"\x3e\x00":
            raise Unsupported("not an ELF object for x86-64")
        self._data = data
        self._resolve = resolve
        self._sections = _sections(data)
        self._names: dict[str, int] = {}
        self._stubs: dict[str, int] = {}
        self._words: dict[int, int] = {}  # address -> place of the word that holds it
        self._place()
        for section in self._sections:
            if section.type == _RELOCATIONS:
                self._relocate(section)
        self._protect()

    def address(self, name: str) -> int:
        """Where the function is."""
        return self._names[name]

    def _place(self) -> None:
        """Copy every section that lives in memory, and resolve the symbols."""
        offsets, end = {}, 0
        for k, section in enumerate(self._sections):
            if section.flags & _ALLOCATED:
                align = max(1, section.align)
                offsets[k] = end = (end + align - 1) // align * align
                end += section.size
        symbols = next((s for s in self._sections if s.type == _SYMBOLS), None)
        if symbols is None:
            raise Unsupported("no symbols")
        count = symbols.size // 24
        self._stubs_at = end = (end + 15) // 16 * 16
        self._words_at = end + _STUB_BYTES * (count + 1)
        self._memory = mmap.mmap(-1, self._words_at + 8 * (count + 1))
        self._view = (ctypes.c_char * len(self._memory)).from_buffer(self._memory)
        self._base = ctypes.addressof(self._view)
        for k, offset in offsets.items():
            section = self._sections[k]
            if section.type != _NO_BITS:
                part = self._data[section.offset : section.offset + section.size]
                self._memory[offset : offset + section.size] = part
        self._offsets = offsets
        self._symbols = [self._symbol(symbols, k) for k in range(count)]

    def _symbol(self, table: _Section, number: int) -> int | str:
        """The address of a symbol, or its name if it is to be found elsewhere."""
        at = table.offset + 24 * number
        name_at, _, _, home, value, _ = struct.unpack_from("<IBBHQQ", self._data, at)
        start = self._sections[table.link].offset + name_at
        name = self._data[start : self._data.index(b"\0", start)].decode()
        if home in self._offsets:
            address = self._base + self._offsets[home] + value
            self._names[name] = address
            return address
        return name

    def _relocate(self, section: _Section) -> None:
        if section.info not in self._offsets:
            return
        target = self._offsets[section.info]
        for at in range(section.offset, section.offset + section.size, 24):
            offset, info, addend = struct.unpack_from("<QQq", self._data, at)
            kind, symbol = info & 0xFFFFFFFF, self._symbols[info >> 32]
            place = target + offset
            if kind == _ABSOLUTE64:
                struct.pack_into("<Q", self._memory, place, self._found(symbol) + addend)
                continue
            if kind in _BY_TABLE:
                goal = self._word(self._found(symbol))
            elif kind == _RELATIVE32 and isinstance(symbol, int):
                goal = symbol
            elif kind == _CALL32:
                goal = symbol if isinstance(symbol, int) else self._stub(symbol)
            else:
                raise Unsupported(f"relocation {kind}")
            struct.pack_into("<i", self._memory, place, goal + addend - self._base - place)

    def _found(self, symbol: int | str) -> int:
        """The address of a symbol, in this object or elsewhere."""
        if isinstance(symbol, int):
            return symbol
        address = self._resolve(symbol)
        if address is not None:
            return address
        for library in (None, "libm.so.6"):
            try:
                function = getattr(ctypes.CDLL(library), symbol)
            except (OSError, AttributeError):
                continue
            return ctypes.cast(function, ctypes.c_void_p).value or 0
        raise Unsupported(f"symbol {symbol!r}")

    def _word(self, address: int) -> int:
        """The place of a word that holds this address."""
        if address not in self._words:
            at = self._words_at + 8 * len(self._words)
            struct.pack_into("<Q", self._memory, at, address)
            self._words[address] = self._base + at
        return self._words[address]

    def _stub(self, name: str) -> int:
        """A jump to a function elsewhere, which may be too far for a relative call."""
        if name not in self._stubs:
            function = self._found(name)
            at = self._stubs_at + _STUB_BYTES * len(self._stubs)
            self._memory[at : at + 14] = _STUB + struct.pack("<Q", function)
            self._stubs[name] = self._base + at
        return self._stubs[name]

    def _protect(self) -> None:
        """Executable from now on, and no longer writable."""
        library = ctypes.CDLL(None, use_errno=True)
        size = ctypes.c_size_t(len(self._memory))
        access = mmap.PROT_READ | mmap.PROT_EXEC
        if library.mprotect(ctypes.c_void_p(self._base), size, access):
            raise Unsupported("memory may not be executed")


def _sections(data: bytes) -> list[_Section]:
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    found = []
    for k in range(count):
        _, kind, flags, _, offset, length, link, info, align, _ = struct.unpack_from(
            "<IIQQQQIIQQ", data, start + k * size
        )
        found.append(_Section(kind, flags, offset, length, link, info, align))
    return found
