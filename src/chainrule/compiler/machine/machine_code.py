"""Machine code in memory: out of the cache on disk without LLVM, else compiled and kept there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from . import code_cache, host
from .linking import Code, Unsupported
from .symbols import symbol

_FORMAT = "objects 1"


class Loaded:
    """The functions of an object file; kept alive as long as they may be called."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        try:
            self._linked: Any = Code(code, symbol)
        except Unsupported:
            from . import llvm

            self._linked = llvm.Compiled.from_object(code, symbol)

    def address(self, name: str) -> int:
        """Where a function's code is."""
        return self._linked.address(name)

    def function(self, name: str, arguments: int) -> Callable[..., int]:
        """The function `i64 name(ptr, ...)` as a Python callable that releases the GIL."""
        address = self.address(name)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * arguments)(address)


def cached(text: str) -> Loaded:
    """The code of a module."""
    key = repr((_FORMAT, text, host.processor(), host.llvm_found()))
    code = code_cache.read(key)
    if code is None:
        code = compiled(text)
        code_cache.write(key, code)
    return Loaded(code)


def named(name: str, text: Callable[[], str]) -> Loaded:
    """The code of a module that only the package's files decide: no text if the cache has it."""
    stamp = host.package_stamp()
    if stamp is None:
        return cached(text())
    key = repr((_FORMAT, name, stamp, host.processor(), host.llvm_found()))
    code = code_cache.read(key)
    if code is not None:
        return Loaded(code)
    made = cached(text())
    code_cache.write(key, made.code)
    return made


def compiled(text: str) -> bytes:
    """The object file of a module."""
    from . import llvm

    return llvm.plan_object(text)
