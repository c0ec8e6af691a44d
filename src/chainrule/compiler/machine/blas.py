"""Finds the matrix product in the BLAS library that NumPy already loaded.

Builds of NumPy name the same functions differently: a prefix, a suffix, and integers of 32 or 64
bits.  Each row of the table is tried with a 2x2 product before it is believed.
"""

from __future__ import annotations

import ctypes
import glob
import os
from typing import Any, NamedTuple

from .symbols import provide

# (prefix, suffix, bits of an integer); the wide forms first, as their names are unambiguous.
_NAMES = (
    ("scipy_", "64_", 64),
    ("", "64_", 64),
    ("", "_64", 64),
    ("scipy_", "", 32),
    ("", "", 32),
)

_ROW_MAJOR, _PLAIN = 101, 111


class Blas(NamedTuple):
    """Addresses of cblas_sgemm and cblas_dgemm, and the width of their integers."""

    sgemm: int
    dgemm: int
    int_bits: int
    set_threads: Any = None  # a function of a count, where the library has one
    threads: int = 1  # as many as it uses unless it is told otherwise
    get_threads: Any = None


_found: list[Blas | None] = []


def find() -> Blas | None:
    """The first library and naming that multiply correctly, or None."""
    if not _found:
        _found.append(_search())
    return _found[0]


def keep_to_one_thread() -> None:
    """Leave the other cores to our own workers.

    The workers of OpenBLAS stay awake for tens of milliseconds after a product and take turns with
    ours on the same cores: a step of an MLP (784-512-512-10) took 4.7 ms with both, 2.4 ms with
    one kind.
    """
    _left_to_workers.append(True)
    limit_threads(1)


_left_to_workers: list[bool] = []


def limit_threads(count: int) -> None:
    """Let products that are left to the library use so many threads, or fewer as it came with."""
    found = find()
    if found is not None and found.set_threads is not None:
        found.set_threads(1 if _left_to_workers else min(count, found.threads))


def _search() -> Blas | None:
    for library in _libraries():
        for prefix, suffix, bits in _NAMES:
            functions = [
                getattr(library, f"{prefix}cblas_{kind}gemm{suffix}", None) for kind in "sd"
            ]
            if None not in functions and all(
                _multiplies(f, real, bits)
                for f, real in zip(functions, (ctypes.c_float, ctypes.c_double), strict=True)
            ):
                address = [ctypes.cast(f, ctypes.c_void_p).value for f in functions]  # pyright: ignore[reportArgumentType]
                setter = getattr(library, f"{prefix}openblas_set_num_threads{suffix}", None)
                getter = getattr(library, f"{prefix}openblas_get_num_threads{suffix}", None)
                threads = 1 if getter is None else getter()
                return Blas(
                    int(address[0] or 0), int(address[1] or 0), bits, setter, threads, getter
                )
    return None


def _libraries() -> list[Any]:
    """Shared objects that may hold BLAS: already mapped ones, then NumPy's own folder."""
    import numpy

    root = os.path.dirname(numpy.__file__)
    patterns = [
        os.path.join(os.path.dirname(root), "numpy.libs", "*blas*"),
        os.path.join(root, ".dylibs", "*blas*"),
        os.path.join(root, "_core", "_multiarray_umath*"),
    ]
    loaded = []
    for path in [p for pattern in patterns for p in sorted(glob.glob(pattern))]:
        try:
            loaded.append(ctypes.CDLL(path))
        except OSError:
            continue
    return loaded


def _multiplies(function: Any, real: Any, bits: int) -> bool:
    """Whether the function, with integers of this width, multiplies two 2x2 matrices."""
    whole = ctypes.c_int64 if bits == 64 else ctypes.c_int32
    pointer = ctypes.c_void_p
    function.restype = None
    function.argtypes = [
        ctypes.c_int, ctypes.c_int, ctypes.c_int, whole, whole, whole,
        real, pointer, whole, pointer, whole, real, pointer, whole,
    ]  # fmt: skip
    a, b, c = (real * 4)(1, 2, 3, 4), (real * 4)(5, 6, 7, 8), (real * 4)()
    function(_ROW_MAJOR, _PLAIN, _PLAIN, 2, 2, 2, 1.0, a, 2, b, 2, 0.0, c, 2)
    return list(c) == [19.0, 22.0, 43.0, 50.0]


def _named(letter: str) -> int | None:
    found = find()
    return None if found is None else getattr(found, f"{letter}gemm")


provide("chainrule_sgemm", lambda _: _named("s"))
provide("chainrule_dgemm", lambda _: _named("d"))
