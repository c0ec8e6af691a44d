"""Uniform reals: the source that most other draws transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..allocation import expect
from ..kernels import fast
from ._checks import (
    COMPLEX,
    FLOATS,
    Shape,
    c_type_name,
    chosen,
    element_count,
    largest_finite,
    normalized_shape,
    require_dtype,
    scalar_type_name,
    type_name,
)
from ._generator import Generator
from ._libm import fused_multiply_add

# Words taken at a time: few enough to stay in the cache, many enough to make a call's cost vanish.
CHUNK = 32768

_LOW_24_BITS = np.uint64(2**24 - 1)
_LOW_53_BITS = np.uint64(2**53 - 1)
_SINGLE_STEP = np.float32(2.0**-24)
_DOUBLE_STEP = 2.0**-53


def fill_singles(generator: Generator, out: np.ndarray) -> None:
    """Fill the flat float32 array with multiples of 2**-24 in [0, 1): one word each."""
    with generator.lock:
        if out.size and fast.fill_singles(generator.state_address(), out):
            return
        for start in range(0, out.size, CHUNK):
            part = out[start : start + CHUNK]
            words = generator.words(part.size)
            np.bitwise_and(words, _LOW_24_BITS, out=words)
            # Signed, because the conversion from unsigned 64-bit numbers is slower.
            np.copyto(part, words.view(np.int64), casting="same_kind")
            np.multiply(part, _SINGLE_STEP, out=part)


def fill_doubles(generator: Generator, out: np.ndarray) -> None:
    """Fill the flat float64 array with multiples of 2**-53 in [0, 1): two words each."""
    with generator.lock:
        if out.size and fast.fill_doubles(generator.state_address(), out):
            return
        for start in range(0, out.size, CHUNK):
            part = out[start : start + CHUNK]
            words = generator.double_words(part.size)
            np.bitwise_and(words, _LOW_53_BITS, out=words)
            np.copyto(part, words.view(np.int64), casting="same_kind")
            np.multiply(part, _DOUBLE_STEP, out=part)


def singles(generator: Generator, count: int) -> np.ndarray:
    expect((count,), 4)
    out = np.empty(count, np.float32)
    fill_singles(generator, out)
    return out


def doubles(generator: Generator, count: int) -> np.ndarray:
    expect((count,), 8)
    out = np.empty(count, np.float64)
    fill_doubles(generator, out)
    return out


def uniform(
    generator: Generator | None,
    shape: Shape,
    dtype: Any = np.float32,
    low: float = 0.0,
    high: float = 1.0,
) -> np.ndarray:
    """Uniform values in [low, high). Complex types get independent real and imaginary parts.

    float64 takes two words of the stream per value, the narrower types take one.
    """
    dtype = require_dtype(dtype, FLOATS | COMPLEX, "check_uniform_bounds")
    shape = normalized_shape(shape)
    if dtype.kind == "c":
        parts = uniform(generator, (*shape, 2), _part_type(dtype), low, high)
        return parts.view(dtype)[..., 0]
    low, high = float(low), float(high)
    _check_bounds(low, high, dtype)
    generator = chosen(generator)
    count = element_count(shape)
    if type_name(dtype) == "float64":
        values = doubles(generator, count)
        if (low, high) != (0.0, 1.0):
            values = fused_multiply_add(values, high - low, low)
    else:
        values = singles(generator, count)
        if (low, high) != (0.0, 1.0):
            width = np.float64(np.float32(high) - np.float32(low))
            values = (values * width + np.float64(np.float32(low))).astype(np.float32)
        values = values.astype(dtype, copy=False)
    if (low, high) != (0.0, 1.0) or dtype.itemsize == 2:
        # Rounding may have reached the excluded bound; such a value becomes `low`.
        np.copyto(values, dtype.type(low), where=values == dtype.type(high))
    return values.reshape(shape)


def _part_type(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float32 if type_name(dtype) == "complex64" else np.float64)


def _check_bounds(low: float, high: float, dtype: np.dtype) -> None:
    largest = largest_finite(dtype)
    for name, value in (("from", low), ("to", high)):
        if not -largest <= value <= largest:
            raise RuntimeError(
                f"{name} is out of bounds for {c_type_name(dtype)}: {value:g} is not a finite "
                f"{dtype.name}, whose values end at {largest:g}"
            )
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > "
            f"to={high:g}. Swap the bounds"
        )
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{scalar_type_name(dtype)}>::max(), "
            f"but found to={high:g} and from={low:g} which result in to-from to exceed the limit. "
            "Draw in a narrower range and scale the result"
        )
