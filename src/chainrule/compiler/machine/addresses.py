"""Where an array's elements begin, read from the array object itself where its layout is known;
and where NumPy's C interface has what it offers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_HEAD = object.__basicsize__  # reference count and type
_WORD = ctypes.c_int64
_read = _WORD.from_address


def _by_interface(x: np.ndarray) -> int:
    return x.__array_interface__["data"][0]


def _by_header(x: np.ndarray) -> int:
    # The first field of an array is its data pointer: 0.25 µs instead of 1.5 through the interface.
    return _read(id(x) + _HEAD).value


def _layout_known() -> bool:
    probe = np.arange(6.0)[2:]
    return ctypes.sizeof(ctypes.c_void_p) == 8 and _by_header(probe) == _by_interface(probe)


address = _by_header if _layout_known() else _by_interface


def numpy_word(place: int) -> int:
    """The word at a place of the table of NumPy's C interface: mostly a function's address."""
    return _read(capsule_pointer(np._core.multiarray._ARRAY_API, None) + 8 * place).value  # pyright: ignore[reportAttributeAccessIssue]


def capsule_pointer(capsule: Any, name: bytes | None) -> int:
    """The address that a capsule of this name holds."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = (ctypes.py_object, ctypes.c_char_p)
    return get(capsule, name)


def stack_offsets(lead: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """Bytes from the first matrix of a stack to each, by leading dimensions and strides."""
    offsets = np.zeros(1, np.int64)
    for count, stride in zip(lead, strides, strict=False):
        offsets = (offsets[:, None] + np.arange(count) * stride).reshape(-1)
    return offsets
