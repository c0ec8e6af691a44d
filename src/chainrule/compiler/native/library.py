"""Kernels as builtin functions of this interpreter: translated, compiled and kept when first asked.

Machine code is read from the cache on disk and linked without LLVM where that is possible; LLVM is
loaded only to compile what the cache does not have.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import sys
import threading
from typing import Any

import numpy as np

from .. import store
from .entry import FUNCTIONS, SLOTS, TYPES, module_text
from .language import Kernel
from .linking import Code, Unsupported
from .signature import NUMPY

_FASTCALL = 0x80  # METH_FASTCALL
_NEW_FROM_DESCR = 94  # PyArray_NewFromDescr in NumPy's table of functions
_FORMAT = "native kernels 1"

_lock = threading.RLock()
_kept: list[Any] = []  # code and method definitions, which must outlive their functions


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def supported() -> bool:
    """Whether this interpreter keeps arrays where the entries look for them."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    probe = np.arange(6.0).reshape(2, 3)
    at = id(probe) + object.__basicsize__
    words = (ctypes.c_int64 * 7).from_address(at)
    return (
        words[0] == probe.__array_interface__["data"][0]
        and (words[1] & 0xFFFFFFFF) == 2
        and (ctypes.c_int64 * 2).from_address(words[2])[:] == [2, 3]
        and words[5] == id(probe.dtype)
        and (words[6] & 0x501) == 0x501
    )


@functools.cache
def load(kernel: Kernel) -> Any:
    """The kernel as a builtin function; None where there cannot be one."""
    with _lock:
        if not supported():
            return None
        address = _machine_code(module_text(kernel, object.__basicsize__))
        if address is None:
            return None
        method = _Method(kernel.name.encode(), address, _FASTCALL, (kernel.__doc__ or "").encode())
        _kept.append(method)
        create = ctypes.pythonapi.PyCFunction_NewEx
        create.restype = ctypes.py_object
        create.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
        return create(ctypes.addressof(method), _table(), None)


def _machine_code(text: str) -> int | None:
    """The address of the module's entry."""
    key = repr((_FORMAT, text, _processor()))
    code = store.read(key)
    if code is None:
        try:
            from .. import llvm
        except ImportError:
            return None
        code = llvm.object_code(text)
        store.write(key, code)
    try:
        linked = Code(code)
        _kept.append(linked)
        return linked.address("entry")
    except Unsupported:
        from .. import llvm

        loaded = llvm.Compiled.from_object(code)
        _kept.append(loaded)
        return loaded.address("entry")


@functools.cache
def _processor() -> str:
    """What decides which instructions there are."""
    try:
        with open("/proc/cpuinfo") as file:
            first = file.read().split("\n\n")[0]
        return "\n".join(
            line for line in first.splitlines() if line.startswith(("model", "flags", "cpu family"))
        )
    except OSError:
        return f"{platform.machine()} {platform.processor()}"


@functools.cache
def _table() -> np.ndarray:
    """The memory from which entries read what they need from outside of their code."""
    table = np.zeros(len(SLOTS), np.int64)
    for name in TYPES:
        table[SLOTS[name]] = id(NUMPY[name])
    for name in FUNCTIONS:
        function = getattr(ctypes.pythonapi, name)
        table[SLOTS[name]] = ctypes.cast(function, ctypes.c_void_p).value
    things: dict[str, Any] = {
        "ndarray": np.ndarray, "None": None, "True": True, "list": list, "TypeError": TypeError,
        "prepare": functools.partial(_prepare_threads, table),
    }  # fmt: skip
    for name, thing in things.items():
        _kept.append(thing)
        table[SLOTS[name]] = id(thing)
    table[SLOTS["new_array"]] = _numpy_function(_NEW_FROM_DESCR)
    table[SLOTS["threads"]] = 1
    return table


def _numpy_function(number: int) -> int:
    """The address of a function of NumPy's C interface."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    start = pointer(np._core.multiarray._ARRAY_API, None)
    return ctypes.c_int64.from_address(start + 8 * number).value


def _prepare_threads(table: np.ndarray) -> None:
    """Called before a large piece of work: says how many threads it may use, and hires them."""
    try:
        from .. import pool

        threads = pool.thread_count()
        found = pool.shared() if threads > 1 else None
        if found is not None:
            found.hire(threads - 1)
            table[SLOTS["pool_run"]] = found.run_address
            table[SLOTS["board"]] = found.board
        table[SLOTS["threads"]] = threads if found is not None else 1
    except Exception:  # machine code is calling: it works alone then
        table[SLOTS["threads"]] = 1
