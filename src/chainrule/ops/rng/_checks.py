"""Argument checks shared by the draws, and the names PyTorch's messages give to types."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from ._generator import Generator, default_generator

Shape = int | Sequence[int]

_SCALAR_TYPE_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}
_C_TYPE_NAMES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "uint16": "short unsigned int",
    "uint32": "unsigned int",
    "uint64": "long unsigned int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
}

FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
COMPLEX = frozenset({"complex64", "complex128"})
INTEGERS = frozenset({"uint8", "int8", "int16", "int32", "int64"})
WIDE_UNSIGNED = frozenset({"uint16", "uint32", "uint64"})

# Bits of the significand, the implicit one included.
SIGNIFICAND_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_LARGEST = {
    "float16": 65504.0,
    "bfloat16": float.fromhex("0x1.fep127"),
    "float32": float.fromhex("0x1.fffffep127"),
    "float64": float.fromhex("0x1.fffffffffffffp1023"),
}


_names: dict[np.dtype, str] = {}


def type_name(dtype: np.dtype) -> str:
    """`dtype.name`, remembered: NumPy computes it anew each time, slower than a small draw."""
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = dtype.name
    return name


def largest_finite(dtype: np.dtype) -> float:
    """The largest finite value of a floating type; NumPy's finfo does not know bfloat16."""
    return _LARGEST[type_name(dtype)]


def chosen(generator: Generator | None) -> Generator:
    return default_generator if generator is None else generator


def normalized_shape(shape: Shape) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)


def element_count(shape: Iterable[int]) -> int:
    return math.prod(shape)


def scalar_type_name(dtype: np.dtype) -> str:
    return _SCALAR_TYPE_NAMES.get(dtype.name, dtype.name)


def c_type_name(dtype: np.dtype) -> str:
    return _C_TYPE_NAMES.get(dtype.name, dtype.name)


def require_dtype(dtype: Any, allowed: frozenset[str], kernel: str) -> np.dtype:
    """`dtype` as a NumPy dtype, if the draw named `kernel` can produce it."""
    dtype = np.dtype(dtype)
    if type_name(dtype) not in allowed:
        not_implemented(dtype, allowed, kernel)
    return dtype


def not_implemented(dtype: np.dtype, allowed: frozenset[str], kernel: str) -> NoReturn:
    raise NotImplementedError(
        f"\"{kernel}\" not implemented for '{scalar_type_name(dtype)}'. "
        f"It can fill {', '.join(sorted(allowed))}; convert afterwards if you need {dtype.name}"
    )


def cast_from_double(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """float64 to `dtype`; half types go through float32, as PyTorch's conversion does."""
    with np.errstate(over="ignore", invalid="ignore"):
        if type_name(dtype) in ("float16", "bfloat16"):
            return values.astype(np.float32).astype(dtype)
        if dtype.kind in "iu":
            # Through int64, so that a negative or large value wraps the same on every machine.
            return values.astype(np.int64).astype(dtype, copy=False)
        return values.astype(dtype, copy=False)
