"""The words a native kernel may use, with their meaning under plain Python.

A kernel is a Python function in a small typed subset, marked with `@native`; `translate.py` turns
its syntax tree into LLVM text.  Run as Python (`kernel.reference(...)`) it is its own oracle.
`docs/native_kernels.md` shows how to write one.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....ops.formulas import upper_tail as normal_tail
from .signature import Signature, parse


class Kernel:
    """A function that Python can call as machine code; see `native`."""

    def __init__(self, function: Callable[..., Any], signature: Signature, exact: bool) -> None:
        self.function = function
        self.name = function.__name__
        self.signature = signature
        self.exact = exact
        self.__doc__ = function.__doc__

    def reference(self, *arguments: Any) -> Any:
        """The same call by the Python interpreter: slow, and the oracle of the machine code."""
        return self.signature.interpret(self.function, arguments)


class Inlined:
    """A function of kernels; typed anew for each use."""

    def __init__(self, function: Callable[..., Any], exact: bool, apart: bool, once: bool) -> None:
        self.function = function
        self.exact = exact
        self.apart = apart
        self.once = once
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def native(declaration: str, *, exact: bool = False) -> Callable[[Callable[..., Any]], Kernel]:
    """Declare a kernel; `exact` forbids fusing a product and a sum into one rounding.

    >>> @native("T x[*n], out T y[like x]")
    ... def doubled(x, y, n):
    ...     for i in range(n):
    ...         y[i] = 2.0 * x[i]
    >>> doubled.reference(np.array([1.0, 2.0]))
    array([2., 4.])
    """

    def mark(function: Callable[..., Any]) -> Kernel:
        code = function.__code__
        signature = parse(declaration)
        given = code.co_varnames[: code.co_argcount]
        if given != signature.names:
            raise TypeError(
                f"{function.__name__} takes {given}, but its declaration {signature.names}"
            )
        return Kernel(function, signature, exact)

    return mark


def inlined(
    function: Callable[..., Any] | None = None,
    *,
    exact: bool = False,
    apart: bool = False,
    once: bool = False,
) -> Any:
    """Declare a function that kernels call; `apart` says that what it writes through one of its
    arrays is never reached through another, as a loop that shall become vectors must know.
    `once` makes one copy serve all callers: long functions then take less time to compile.
    """
    if function is None:
        return lambda f: Inlined(f, exact, apart, once)
    return Inlined(function, exact, apart, once)


# ---- types as conversions ------------------------------------------------------------------------
# `T` is the kernel's float type, `I` the signed integer of the same width, `U` the unsigned one.

i32, i64, u8, u32, u64 = np.int32, np.int64, np.uint8, np.uint32, np.uint64
f32, f64 = np.float32, np.float64
T = np.float64
I = np.int64  # noqa: E741 - stands beside T
U = np.uint64


shared = range  # the outermost loop of a kernel whose turns may run on several threads
short = range  # a loop of few turns: one masked vector operation instead of scalar ones
narrow = range  # a loop of few turns over every second element: vectors of four


# ---- functions -----------------------------------------------------------------------------------

exp, expm1, log, log1p, tanh, sqrt = np.exp, np.expm1, np.log, np.log1p, np.tanh, np.sqrt
maximum, minimum = np.maximum, np.minimum
copysign, floor = np.copysign, np.floor
near_sin, near_cos = np.sin, np.cos  # meant for arguments up to NEAR, where they need no branch
NEAR = 1e5


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)) without overflow."""
    small = np.exp(-abs(x))
    return (1.0 if x >= 0 else small) / (1.0 + small)


def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""
    return type(a)(np.longdouble(a) * np.longdouble(b) + np.longdouble(c))


def horner(x: Any, coefficients: tuple[float, ...]) -> Any:
    """The polynomial with these coefficients from the highest power down, by fused steps."""
    total = type(x)(coefficients[0])
    for c in coefficients[1:]:
        total = fma(total, x, type(x)(c))
    return total


def upper_tail(x: Any, bell: Any) -> Any:
    """The probability of a standard normal value above |x|, given exp(-x * x / 2)."""
    return normal_tail(np.asarray(x), np.asarray(bell))[()]


def erf(x: Any) -> Any:
    """The error function."""
    return type(x)(math.erf(x))


def erfc(x: Any) -> Any:
    """1 - erf(x)."""
    return type(x)(math.erfc(x))


def accumulate(total: Any, term: Any) -> Any:
    """total + term, where the terms of a loop may be added in any order (so that it vectorises)."""
    return total + term


def isnan(x: Any) -> bool:
    """Whether x is not a number."""
    return math.isnan(x)


def bits(x: Any) -> Any:
    """The bits of a float as a signed integer of the same width."""
    return x.view(np.int32 if x.dtype == np.float32 else np.int64)


def from_bits(n: Any) -> Any:
    """The float of these bits."""
    return n.view(np.float32 if n.dtype == np.int32 else np.float64)


_POINTED = {
    "f32": ctypes.c_float, "f64": ctypes.c_double, "i64": ctypes.c_int64, "i32": ctypes.c_int32,
    "u8": ctypes.c_uint8, "u32": ctypes.c_uint32, "T": ctypes.c_double,
}  # fmt: skip


def pointer(kind: str, address: int) -> Any:
    """Memory at an address, as elements of a type named by a string."""
    return ctypes.cast(int(address), ctypes.POINTER(_POINTED[kind]))


def stack(kind: str, count: int) -> Any:
    """Room for a fixed number of elements, undefined at first; reserve it outside of loops."""
    return np.empty(count, _POINTED[kind])


def invoke(function: int, arguments: Any, workspace: int) -> None:
    """Call machine code for a piece of work: `void function(ptr arguments, ptr workspace)`."""
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(function)
    call(arguments.ctypes.data, workspace)


class PerType:
    """A constant (or tuple of them) that depends on the kernel's float type."""

    def __init__(self, f32: Any, f64: Any) -> None:
        self.f32, self.f64 = f32, f64
