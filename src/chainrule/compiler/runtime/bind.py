"""Reads the addresses of NumPy arrays in machine code instead of Python.

Asking fifteen arrays for shape, dtype, flags and address costs ten microseconds in Python, three
times as much as a small model's whole training step.  The fields lie at fixed places of the array
object (NumPy keeps them for its C interface), so the plan's entry reads and checks them itself.
Whether they really lie there is tried once on arrays of known contents; if not, Python does it.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from ..graph.program import Value

_HEAD = object.__basicsize__  # reference count and type
DATA, NDIM, DIMS, DESCR, FLAGS = _HEAD, _HEAD + 8, _HEAD + 16, _HEAD + 40, _HEAD + 48
TYPE = 8
LIST_ITEMS = _HEAD + 8
# C_CONTIGUOUS and ALIGNED; what the plan writes must be WRITEABLE too.
WANTED_FLAGS = 0x1 | 0x100
WRITEABLE = 0x400
_WORDS = 5  # of one input's specification: slot, dtype object, ndim, address of the shape, flags

_tried: list[bool] = []


def layout_known() -> bool:
    """Whether array and list objects have the layout the machine code reads."""
    if not _tried:
        _tried.append(_HEAD == 16 and sys.implementation.name == "cpython" and _probe())
    return _tried[0]


def _word(address: int, kind: Any = ctypes.c_int64) -> int:
    return kind.from_address(address).value


def _probe() -> bool:
    arrays = [np.arange(6, dtype="f4").reshape(2, 3), np.zeros((), "i8"), np.ones((4, 5))[:, ::2]]
    arrays[0].flags.writeable = False
    items = _word(id(arrays) + LIST_ITEMS)
    for i, a in enumerate(arrays):
        where = id(a)
        shape = [_word(_word(where + DIMS) + 8 * k) for k in range(a.ndim)] if a.ndim else []
        wanted = _word(where + FLAGS, ctypes.c_int32) & WANTED_FLAGS == WANTED_FLAGS
        seen = (
            _word(items + 8 * i) == where
            and _word(where + TYPE) == id(np.ndarray)
            and _word(where + DATA) == a.__array_interface__["data"][0]
            and _word(where + NDIM, ctypes.c_int32) == a.ndim
            and tuple(shape) == a.shape
            and _word(where + DESCR) == id(a.dtype)
            and wanted == (a.flags.c_contiguous and a.flags.aligned)
            and bool(_word(where + FLAGS, ctypes.c_int32) & WRITEABLE) == a.flags.writeable
        )
        if not seen:
            return False
    return True


class Specification:
    """What the machine code checks of each input, as words in memory; keeps them alive."""

    def __init__(self, values: list[Value], slots: list[int], written: list[bool]) -> None:
        """One row per array; a negative slot is skipped."""
        self.shapes = [np.array(v.shape or (0,), np.int64) for v in values]
        self.dtypes = [v.dtype for v in values]
        rows = [
            (slot, id(v.dtype), v.ndim, s.__array_interface__["data"][0], flags | WANTED_FLAGS)
            for slot, v, s, flags in zip(
                slots, values, self.shapes, [WRITEABLE * w for w in written], strict=True
            )
        ]
        # The class's address comes first: in the code it would differ from process to process.
        self.words = np.array([id(np.ndarray), *(w for row in rows for w in row)], np.int64)
        self.address = self.words.__array_interface__["data"][0]


def bind_text(count: int) -> str:
    """`i64 bind(items, table, specification)`: 0, or the number of the first wrong input."""
    return f"""
define internal i64 @bind(ptr %list, ptr %table, ptr %spec) noinline nounwind {{
entry:
  %place = getelementptr i8, ptr %list, i64 {LIST_ITEMS}
  %items = load ptr, ptr %place
  %class = load i64, ptr %spec
  %rows = getelementptr i64, ptr %spec, i64 1
  br label %next
next:
  %i = phi i64 [0, %entry], [%i1, %stored], [%i1, %skip]
  %more = icmp ult i64 %i, {count}
  br i1 %more, label %one, label %good
one:
  %i1 = add i64 %i, 1
  %row = mul i64 %i, {_WORDS}
  %slotp = getelementptr i64, ptr %rows, i64 %row
  %slot = load i64, ptr %slotp
  %weak = icmp slt i64 %slot, 0
  br i1 %weak, label %skip, label %array
skip:
  br label %next
array:
  %itemp = getelementptr ptr, ptr %items, i64 %i
  %item = load ptr, ptr %itemp
  %typep = getelementptr i8, ptr %item, i64 {TYPE}
  %type = load i64, ptr %typep
  %isarray = icmp eq i64 %type, %class
  br i1 %isarray, label %fields, label %bad
fields:
  %descrp = getelementptr i8, ptr %item, i64 {DESCR}
  %descr = load i64, ptr %descrp
  %wantdp = getelementptr i64, ptr %slotp, i64 1
  %wantd = load i64, ptr %wantdp
  %okd = icmp eq i64 %descr, %wantd
  %flagsp = getelementptr i8, ptr %item, i64 {FLAGS}
  %flags = load i32, ptr %flagsp
  %wantfp = getelementptr i64, ptr %slotp, i64 4
  %wantf64 = load i64, ptr %wantfp
  %wantf = trunc i64 %wantf64 to i32
  %kept = and i32 %flags, %wantf
  %okf = icmp eq i32 %kept, %wantf
  %ndp = getelementptr i8, ptr %item, i64 {NDIM}
  %nd32 = load i32, ptr %ndp
  %nd = sext i32 %nd32 to i64
  %wantnp = getelementptr i64, ptr %slotp, i64 2
  %wantn = load i64, ptr %wantnp
  %okn = icmp eq i64 %nd, %wantn
  %ok1 = and i1 %okd, %okf
  %ok2 = and i1 %ok1, %okn
  br i1 %ok2, label %shape, label %bad
shape:
  %dimsp = getelementptr i8, ptr %item, i64 {DIMS}
  %dims = load ptr, ptr %dimsp
  %wantsp = getelementptr i64, ptr %slotp, i64 3
  %wants = load ptr, ptr %wantsp
  br label %axis
axis:
  %k = phi i64 [0, %shape], [%k1, %length]
  %left = icmp slt i64 %k, %nd
  br i1 %left, label %length, label %stored
length:
  %dp = getelementptr i64, ptr %dims, i64 %k
  %d = load i64, ptr %dp
  %wp = getelementptr i64, ptr %wants, i64 %k
  %w = load i64, ptr %wp
  %k1 = add i64 %k, 1
  %same = icmp eq i64 %d, %w
  br i1 %same, label %axis, label %bad
stored:
  %datap = getelementptr i8, ptr %item, i64 {DATA}
  %data = load ptr, ptr %datap
  %there = getelementptr ptr, ptr %table, i64 %slot
  store ptr %data, ptr %there
  br label %next
good:
  ret i64 0
bad:
  ret i64 %i1
}}
"""


def main_text(first_segment: str | None) -> str:
    """`i64 main(list, table, specification)`: bind the inputs, then run the only segment."""
    run = f"  call void @{first_segment}(ptr %table)\n" if first_segment else ""
    return f"""
define i64 @main(ptr %list, ptr %table, ptr %spec) nounwind {{
entry:
  %wrong = call i64 @bind(ptr %list, ptr %table, ptr %spec)
  %fine = icmp eq i64 %wrong, 0
  br i1 %fine, label %go, label %stop
go:
{run}  br label %stop
stop:
  ret i64 %wrong
}}
"""
