"""Memory of NumPy's arrays at the beginning of a cache line.

NumPy aligns arrays to 16 bytes. A vector of 64 bytes then touches two lines of the cache, and a
large product takes up to a sixth longer. NumPy lets others provide memory (NEP 49): the functions
below ask its own allocator for a little more, and place the array at the next line. What they got,
and for how many bytes, is written in front of the array. They also count: how many bytes are alive,
and the most that were. NumPy calls them while it holds the interpreter's lock, so the counts are
plain additions; where there is no such lock they are atomic.

NumPy keeps the choice in the current context, as variables of `contextvars`: arrays of threads that
were started in another one lie as before. Arrays remember whose memory they have, so that both
kinds live side by side.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

from ...ops import allocation
from . import host, machine_code
from .addresses import capsule_pointer, numpy_word

LINE = 64
_MORE = LINE + 16  # bytes: the way to the next line and the two words before it

_TEXT = f"""
%allocator = type {{ ptr, ptr, ptr, ptr, ptr }}
%counted = type {{ ptr, i64, i64, i64 }}

define internal void @count(ptr %ours, i64 %bytes) {{
  %at = getelementptr %counted, ptr %ours, i64 0, i32 1
COUNT_LIVE
  %top = getelementptr %counted, ptr %ours, i64 0, i32 2
  %most = load i64, ptr %top
  %higher = icmp sgt i64 %live, %most
  br i1 %higher, label %raise, label %done
raise:
  store i64 %live, ptr %top
  br label %done
done:
  ret void
}}

define internal void @count_made(ptr %ours, ptr %array, i64 %bytes) {{
  %none = icmp eq ptr %array, null
  br i1 %none, label %done, label %some
some:
  call void @count(ptr %ours, i64 %bytes)
  br label %done
done:
  ret void
}}

define internal ptr @place(ptr %raw, i64 %bytes) {{
  %none = icmp eq ptr %raw, null
  br i1 %none, label %failed, label %placed
failed:
  ret ptr null
placed:
  %number = ptrtoint ptr %raw to i64
  %behind = add i64 %number, {_MORE - 1}
  %line = and i64 %behind, {-LINE}
  %array = inttoptr i64 %line to ptr
  %owner = getelementptr i64, ptr %array, i64 -2
  %size = getelementptr i64, ptr %array, i64 -1
  store ptr %raw, ptr %owner
  store i64 %bytes, ptr %size
  ret ptr %array
}}

define ptr @line_malloc(ptr %ours, i64 %bytes) {{
  %numpy = load ptr, ptr %ours
  %at = getelementptr %allocator, ptr %numpy, i64 0, i32 1
  %context = load ptr, ptr %numpy
  %malloc = load ptr, ptr %at
  %all = add i64 %bytes, {_MORE}
  %raw = call ptr %malloc(ptr %context, i64 %all)
  %array = call ptr @place(ptr %raw, i64 %bytes)
  call void @count_made(ptr %ours, ptr %array, i64 %bytes)
  ret ptr %array
}}

define ptr @line_calloc(ptr %ours, i64 %count, i64 %each) {{
  %numpy = load ptr, ptr %ours
  %at = getelementptr %allocator, ptr %numpy, i64 0, i32 2
  %context = load ptr, ptr %numpy
  %calloc = load ptr, ptr %at
  %bytes = mul i64 %count, %each
  %all = add i64 %bytes, {_MORE}
  %raw = call ptr %calloc(ptr %context, i64 1, i64 %all)
  %array = call ptr @place(ptr %raw, i64 %bytes)
  call void @count_made(ptr %ours, ptr %array, i64 %bytes)
  ret ptr %array
}}

define void @line_free(ptr %ours, ptr %array, i64 %ignored) {{
  %none = icmp eq ptr %array, null
  br i1 %none, label %done, label %some
some:
  %owner = getelementptr i64, ptr %array, i64 -2
  %size = getelementptr i64, ptr %array, i64 -1
  %raw = load ptr, ptr %owner
  %bytes = load i64, ptr %size
  %fewer = sub i64 0, %bytes
  call void @count(ptr %ours, i64 %fewer)
  %numpy = load ptr, ptr %ours
  %at = getelementptr %allocator, ptr %numpy, i64 0, i32 4
  %context = load ptr, ptr %numpy
  %free = load ptr, ptr %at
  %all = add i64 %bytes, {_MORE}
  call void %free(ptr %context, ptr %raw, i64 %all)
  br label %done
done:
  ret void
}}

define ptr @line_realloc(ptr %ours, ptr %array, i64 %bytes) "no-builtins" {{
entry:
  %new = call ptr @line_malloc(ptr %ours, i64 %bytes)
  %failed = icmp eq ptr %new, null
  %fresh = icmp eq ptr %array, null
  %nothing = or i1 %failed, %fresh
  br i1 %nothing, label %leave, label %look
look:
  %size = getelementptr i64, ptr %array, i64 -1
  %had = load i64, ptr %size
  %less = icmp ult i64 %had, %bytes
  %kept = select i1 %less, i64 %had, i64 %bytes
  br label %next
next:
  %i = phi i64 [0, %look], [%following, %copy]
  %more = icmp ult i64 %i, %kept
  br i1 %more, label %copy, label %copied
copy:
  %from = getelementptr i8, ptr %array, i64 %i
  %to = getelementptr i8, ptr %new, i64 %i
  %byte = load i8, ptr %from
  store i8 %byte, ptr %to
  %following = add i64 %i, 1
  br label %next
copied:
  call void @line_free(ptr %ours, ptr %array, i64 %had)
  br label %leave
leave:
  ret ptr %new
}}
"""

_PLAIN = """  %had = load i64, ptr %at
  %live = add i64 %had, %bytes
  store i64 %live, ptr %at"""
_ATOMIC = """  %had = atomicrmw add ptr %at, i64 %bytes monotonic
  %live = add i64 %had, %bytes"""


def _locked() -> bool:
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def _text() -> str:
    return _TEXT.replace("COUNT_LIVE", _PLAIN if _locked() else _ATOMIC)


class _Allocator(ctypes.Structure):
    """PyDataMemAllocator."""

    _fields_ = tuple(
        (name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")
    )


class _Counted(ctypes.Structure):
    """What our functions are given: NumPy's allocator, and the counts."""

    _fields_ = (
        ("numpy", ctypes.c_void_p),
        ("live", ctypes.c_int64),
        ("peak", ctypes.c_int64),
        ("unused", ctypes.c_int64),
    )


class _Handler(ctypes.Structure):
    """PyDataMem_Handler."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("allocator", _Allocator),
    )


_CAPSULE = b"mem_handler"
# Functions and a variable of NumPy's C interface, by their places in its table.
_SET_HANDLER, _GET_HANDLER, _DEFAULT = 304, 305, 306

_lock = threading.Lock()
_kept: list[Any] = []  # what arrays need until the last of them is gone
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_kept))  # also while the interpreter ends


def begin_at_lines() -> bool:
    """Let arrays made from now on in this context begin at a cache line; whether they will.

    Not set where somebody else provides NumPy's memory, or without LLVM.
    """
    suits = sys.implementation.name == "cpython" and ctypes.sizeof(ctypes.c_void_p) == 8
    if not suits or host.llvm_found() is None:
        return False
    with _lock:
        default = ctypes.cast(numpy_word(_DEFAULT), ctypes.POINTER(ctypes.py_object))[0]
        current = ctypes.PYFUNCTYPE(ctypes.py_object)(numpy_word(_GET_HANDLER))()
        if _kept and current is _kept[-1]:
            return True
        if current is not default:
            return False
        capsule = _kept[-1] if _kept else _make_capsule(default)
        ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(numpy_word(_SET_HANDLER))(capsule)
        return True


def _make_capsule(default: Any) -> Any:
    theirs = _Handler.from_address(capsule_pointer(default, _CAPSULE))
    code = machine_code.named(f"counted memory {_locked()}", _text)
    counted = _Counted(ctypes.addressof(theirs.allocator), 0, 0, 0)
    ours = _Handler(
        b"chainrule_lines",
        theirs.version,
        _Allocator(
            ctypes.addressof(counted),
            *(code.address(f"line_{name}") for name in ("malloc", "calloc", "realloc", "free")),
        ),
    )
    name = ctypes.create_string_buffer(_CAPSULE)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    capsule = new(ctypes.addressof(ours), ctypes.addressof(name), None)
    _kept.extend((code, ours, name, counted, capsule))
    allocation.counts = counted
    return capsule
