"""Python numbers as elements of a tensor: what a type can hold, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.dispatch import P
from ..ops import dtypes
from ..ops.convert import held_by

# The names PyTorch's message has for them.
_NAMES = {
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
}  # fmt: skip
_NAMES.update((d.name, f"c10::{d.name.capitalize()}") for d in dtypes.STORED if not d.is_complex)
_LARGEST = {
    "bfloat16": 3.3895313892515355e38, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0,
    "float8_e4m3fnuz": 240.0, "float8_e5m2fnuz": 57344.0, "float8_e8m0fnu": 2.0**127,
}  # fmt: skip
_CLASSES = (bool, int, float, complex)


def a_number(value: Any, name: str = "value") -> Any:
    """The value, unless it cannot be a number at all: NumPy would make one of None, or of a list.

    Stand-ins of a compiled function, fractions and NumPy's numbers pass.
    """
    if not (hasattr(value, "__float__") or hasattr(value, "__complex__")):
        raise refusal.wrong_type(
            f"argument '{name}' must be Number, not {type(value).__name__}",
            f"{value!r} was given",
        )
    return value


def number_for(value: Any, dtype: dtypes.dtype) -> Any:
    """A number as the type holds it, or an error where it cannot.

    Whole numbers that are negative wrap into an unsigned type, fractions are cut off, and what is
    outside of the type's range is refused, as in PyTorch. What a compiled function follows passes.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value.__class__ not in _CLASSES:
        return a_number(value)
    if dtype.is_complex:
        if dtype is dtypes.complex64:
            _real(value.real, dtypes.float32)
            _real(value.imag, dtypes.float32)
        return value
    if dtype is dtypes.bool_:
        return bool(value)
    if value.__class__ is complex:
        if value.imag:
            raise refused(value, dtype, "it is complex")
        value = value.real
    if dtype in dtypes.STORED:
        largest = _LARGEST[dtype.name]
        if largest < abs(value) < float("inf"):
            raise refused(value, dtype, f"its largest is {largest:g}")
        return held_by(np.asarray(value), dtype.name).item()
    if dtype.is_floating_point:
        return _real(value, dtype)
    limits = np.iinfo(dtype.np)
    if value.__class__ is float:
        if not limits.min <= value <= limits.max:
            raise refused(value, dtype, f"it holds {limits.min} to {limits.max}")
        return int(value)
    if limits.min <= value <= limits.max:
        return int(value)
    if not limits.min and 0 < -value <= limits.max:
        return value + limits.max + 1
    raise refused(value, dtype, f"it holds {limits.min} to {limits.max}")


def _real(value: Any, dtype: dtypes.dtype) -> Any:
    if dtype is dtypes.float64 or -65504 <= value <= 65504 or value - value != 0:
        return value
    largest = _LARGEST.get(dtype.name) or float(np.finfo(dtype.np).max)
    if not -largest <= value <= largest:
        raise refused(value, dtype, f"its largest is {largest:g}")
    return value


def converted(value: Any, dtype: dtypes.dtype) -> Any:
    """A tensor of one element in another type, refused where a number would be."""
    if value._level is None:
        number_for(value.detach().item(), dtype)
    return P.cast(value, dtype=dtype.np)


def refused(value: Any, dtype: dtypes.dtype, why: str) -> RuntimeError:
    """The error that a number does not fit into a type."""
    return refusal.runtime(
        f"value cannot be converted to type {_NAMES.get(dtype.name, dtype.name)} without overflow: "
        f"{value!r} does not fit into {dtype!r}, {why}"
    )
