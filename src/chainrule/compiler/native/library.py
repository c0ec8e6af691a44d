"""Kernels as builtin functions of this interpreter: translated, compiled and kept when first asked.

Machine code is read from the cache on disk and linked without LLVM where that is possible; LLVM is
loaded only to compile what the cache does not have.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

_BEGIN = time.time()  # before the files of this package are read

# ruff: noqa: E402 - what follows must come after it
from ...ops.locks import keep_through_forks
from ...tensor import settings
from ..machine import code_cache, host, machine_code
from ..machine.addresses import numpy_word
from ..machine.symbols import provide
from .language.slots import FUNCTIONS, NUMPY, SLOTS, TYPES

if TYPE_CHECKING:
    from .language.words import Inlined, Kernel

_FASTCALL = 0x80  # METH_FASTCALL
_NEW_FROM_DESCR = 94  # PyArray_NewFromDescr in NumPy's table of functions
_FORMAT = "native kernels 5"
_HEADER = object.__basicsize__

_lock = keep_through_forks(threading.RLock(), 2)
_kept: list[Any] = []  # code and method definitions, which must outlive their functions
# Also while the interpreter ends: a thread may still be in a kernel.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_kept))


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
    at = id(probe) + _HEADER
    words = (ctypes.c_int64 * 7).from_address(at)
    return (
        words[0] == probe.__array_interface__["data"][0]
        and (words[1] & 0xFFFFFFFF) == 2
        and (ctypes.c_int64 * 2).from_address(words[2])[:] == [2, 3]
        and words[5] == id(probe.dtype)
        and (words[6] & 0x501) == 0x501
    )


def load(name: str, compiles: bool = True) -> Any:
    """The kernel of the catalog as a builtin function; None where there cannot be one.

    Without `compiles` only those that are soon compiled, whether the cache has them or not: what a
    program computes must not depend on it.
    """
    if not compiles and not _is_quick(name):
        return None
    return _function(name, functools.partial(_named_code, name))


def _is_quick(name: str) -> bool:
    from . import catalog

    return name in catalog.QUICK or name.startswith("step")


def compiled(kernel: Kernel) -> Any:
    """Any kernel as a builtin function; None where there cannot be one."""
    return _function(kernel.name, functools.partial(_object_code, kernel))


def job(name: str, generic: str) -> int | None:
    """Where the machine code of a job of the catalog is: `void f(ptr piece, ptr workspace)`."""
    with _lock:
        code = _named_code(name, generic)
        return None if code is None else _entry_address(code)


def _named_code(name: str, generic: str) -> bytes | None:
    """The object file of a kernel of the catalog; nothing is translated if the cache has it."""
    sources = _unchanged_sources()
    key = repr((_FORMAT, name, generic, sources, host.processor(), _HEADER))
    code = None if sources is None else code_cache.read(key)
    if code is None:
        from . import catalog

        code = _object_code(catalog.kernel(name), generic)
        if code is not None and sources is not None and sources == _unchanged_sources():
            code_cache.write(key, code)
    return code


def _object_code(kernel: Kernel | Inlined, generic: str) -> bytes | None:
    """The kernel's object file, out of the cache or compiled."""
    from .dispatch import job_text, module_text
    from .language.words import Inlined

    if isinstance(kernel, Inlined):
        text = job_text(kernel, generic)
    else:
        text = module_text(kernel, _HEADER, generic)
    key = repr((_FORMAT, text, host.processor()))
    code = code_cache.read(key)
    if code is None:
        try:
            from ..machine import llvm
        except ImportError:
            return None
        code = llvm.object_code(text)
        code_cache.write(key, code)
    return code


def _function(name: str, code_for: Callable[[str], bytes | None]) -> Any:
    with _lock:
        code = code_for("f32") if supported() else None
        if code is None:
            return None
        table = _table()
        load_double = functools.partial(_load_double, table, code_for)
        _kept.append(load_double)
        table[SLOTS["load_double"]] = id(load_double)
        return _builtin(name, code, table)


def _load_double(table: np.ndarray, code_for: Callable[[str], bytes | None]) -> None:
    """Called by an entry that was first given float64."""
    try:
        with _lock:
            code = code_for("f64")
            if code is not None:
                table[SLOTS["double_entry"]] = _entry_address(code)
    except Exception:  # machine code is calling: NumPy serves then
        return


def _builtin(name: str, code: bytes, table: np.ndarray) -> Any:
    """The object's entry as a function of Python."""
    method = _Method(name.encode(), _entry_address(code), _FASTCALL, None)
    _kept.append(method)
    create = ctypes.pythonapi.PyCFunction_NewEx
    create.restype = ctypes.py_object
    create.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return create(ctypes.addressof(method), table, None)


def _entry_address(code: bytes) -> int:
    loaded = machine_code.Loaded(code)
    _kept.append(loaded)
    return loaded.address("entry")


def _source_files() -> list[str]:
    here = os.path.dirname(__file__)
    compiler = os.path.dirname(here)
    rooms = (here, *(os.path.join(here, sub) for sub in ("language", "kernels")))
    files = [
        os.path.join(room, name)
        for room in (*rooms, os.path.join(compiler, "text"))
        for name in sorted(os.listdir(room))
        if name.endswith(".py")
    ]
    package = os.path.dirname(compiler)
    formulas = (
        "formulas row_formulas activation binary compare loss norm pointwise_loss reduce schema "
        "select shape softmax special sums unary"
    )
    files += [os.path.join(package, "ops", f"{name}.py") for name in formulas.split()]
    return files + [
        os.path.join(package, "ir", f"{n}.py") for n in ("functions", "lowering", "scalar")
    ]


def _unchanged_sources() -> str | None:
    """A digest of the files that decide what a kernel's machine code is.

    None if one of them was written after this process began to import them: what is in memory may
    then be another version (an upgrade, an editor), and its code must not go by their digest.
    """
    for path in _source_files():
        status = os.stat(path)
        if max(status.st_mtime, status.st_ctime) >= _BEGIN:
            return None
    return _digest_of_sources()


@functools.cache
def _digest_of_sources() -> str:
    digest = code_cache.sha256(b"")
    for path in _source_files():
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def _table() -> np.ndarray:
    """The memory from which entries read what they need from outside of their code."""
    table = np.zeros(len(SLOTS), np.int64)
    for name in TYPES:
        table[SLOTS[name]] = id(NUMPY[name])
    for name in FUNCTIONS:
        function = getattr(ctypes.pythonapi, name)
        table[SLOTS[name]] = ctypes.cast(function, ctypes.c_void_p).value  # pyright: ignore[reportArgumentType, reportCallIssue]
    things: dict[str, Any] = {
        "ndarray": np.ndarray, "None": None, "True": True, "list": list, "TypeError": TypeError,
        "prepare": functools.partial(_prepare_threads, table, [0, 0]),
    }  # fmt: skip
    for name, thing in things.items():
        _kept.append(thing)
        table[SLOTS[name]] = id(thing)
    table[SLOTS["new_array"]] = numpy_word(_NEW_FROM_DESCR)
    table[SLOTS["threads"]] = 1
    _tables.append(table)
    return table


_tables: list[np.ndarray] = []


def _unsettle() -> None:
    """Let every entry ask again how many threads there are."""
    for table in _tables:
        table[SLOTS["settled"]] = 0


settings.when_threads_change(_unsettle)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unsettle)


def _prepare_threads(table: np.ndarray, told: list[int]) -> None:
    """Called before a large piece of work: says how many threads it may use, and hires them.

    `told` remembers the threads and the board that the table holds already.
    """
    try:
        from ..machine import worker_threads

        threads = worker_threads.thread_count()
        found = worker_threads.shared() if threads > 1 else None
        now = [threads if found is not None else 1, 0 if found is None else found.board]
        if found is not None:
            found.hire(threads - 1)
        if now != told:
            told[:] = now
            table[SLOTS["threads"]], table[SLOTS["board"]] = now
            table[SLOTS["pool_run"]] = 0 if found is None else found.run_address
        table[SLOTS["settled"]] = 1
    except Exception:  # machine code is calling: it works alone then
        table[SLOTS["threads"]] = 1


def _job_named(name: str) -> int | None:
    job_name, _, kind = name.rpartition("_")
    return job(job_name, kind)


provide("chainrule_job_", _job_named)
