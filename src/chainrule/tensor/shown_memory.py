"""Arrays of objects that say in `__array_interface__`, or by DLPack, where their elements lie.

Whose memory is at an address has to be believed, but not that there is any. Bytes can be measured,
which NumPy leaves out: it would read beyond an object that says more of its bytes than there are.
"""

from __future__ import annotations

import mmap
import sys
from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.value import TensorBase


def array_shown_by(item: Any) -> np.ndarray:
    """NumPy's array of an object; elements within the bytes that it names, or an error."""
    shown = getattr(item, "__array_interface__", None)
    if not isinstance(shown, dict) or isinstance(shown.get("data"), tuple):
        array = np.asarray(item)
        if isinstance(shown, dict):
            check_mapped(array, f"__array_interface__ of {type(item).__name__}")
        return array
    data = shown.get("data")
    memory = np.frombuffer(item if data is None else data, np.uint8)
    kind, shape = np.dtype(shown["typestr"]), tuple(shown["shape"])
    start, strides = shown.get("offset", 0), shown.get("strides")
    steps = _rows(shape, kind.itemsize) if strides is None else tuple(strides)
    if kind.hasobject or len(steps) != len(shape):
        raise refusal.wrong_type(
            f"__array_interface__ of {type(item).__name__} shows no numbers: type {kind}, shape "
            f"{shape}, strides {steps}"
        )
    _check_inside(item, memory.nbytes, kind.itemsize, shape, steps, start)
    return np.ndarray(shape, kind, memory, start, steps)


def array_of_capsule(item: Any, of: Any = None) -> np.ndarray:
    """NumPy's array of what an object hands over by DLPack, if there is memory where it lies."""
    array = np.from_dlpack(item)
    if not isinstance(item, np.ndarray | TensorBase):
        check_mapped(array, f"the capsule of {type(item if of is None else of).__name__}")
    return array


def _rows(shape: tuple[int, ...], width: int) -> tuple[int, ...]:
    """The strides of elements one after the other."""
    steps = [width]
    for n in reversed(shape[1:]):
        steps.append(steps[-1] * n)
    return tuple(reversed(steps[: len(shape)]))


def _check_inside(
    item: Any, room: int, width: int, shape: tuple[int, ...], steps: tuple[int, ...], start: int
) -> None:
    if 0 in shape:
        return
    ends = [(n - 1) * step for n, step in zip(shape, steps, strict=True)]
    low = start + sum(end for end in ends if end < 0)
    high = start + sum(end for end in ends if end > 0) + width
    if low < 0 or high > room or min(shape, default=0) < 0:
        raise refusal.value(
            f"__array_interface__ of {type(item).__name__} reaches from byte {low} to {high} of "
            f"{room} bytes: shape {shape}, strides {steps}, offset {start}",
            fix="correct what it says, or pass the bytes to torch.frombuffer(...).",
        )


def check_mapped(array: np.ndarray, said_by: str) -> None:
    """Raise when parts of what was said to be an array are no memory of this process at all.

    Reading there would end it. Only Linux can be asked, by a call that changes nothing.
    """
    if not array.size or sys.platform != "linux":
        return
    import ctypes

    low = array.__array_interface__["data"][0]
    high = low + array.itemsize
    for n, step in zip(array.shape, array.strides, strict=True):
        low, high = low + min(0, (n - 1) * step), high + max(0, (n - 1) * step)
    first = low & -mmap.PAGESIZE
    is_address = first > 0 and high < 1 << 63
    place = ctypes.c_void_p(first), ctypes.c_size_t(high - first)
    if not is_address or ctypes.CDLL(None).msync(*place, 1):  # MS_ASYNC: nothing is written
        raise refusal.value(
            f"{said_by} reaches from address {low:#x} to {high:#x}, where there is no memory: "
            f"shape {array.shape}, strides {array.strides}",
            fix="correct the address, the shape or the strides.",
        )
