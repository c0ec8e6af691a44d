"""Integers in a range, integers of a whole type, and permutations."""

from __future__ import annotations

import warnings
from array import array
from typing import Any

import numpy as np

from ..errors import Refusal
from ._checks import (
    FLOATS,
    INTEGERS,
    SIGNIFICAND_BITS,
    WIDE_UNSIGNED,
    Shape,
    c_type_name,
    chosen,
    element_count,
    largest_finite,
    normalized_shape,
    require_dtype,
    type_name,
)
from ._generator import Generator

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1

# From this width on a 32-bit word modulo the width would be too uneven: 64 bits are drawn.
_WIDE_RANGE = 2**28
_LARGE_PERMUTATION = (2**32 - 1) // 20
_PLACES_AT_ONCE = 2**20

# Below this size a plain loop over the exchanges is faster than sorting them.
_FEW = 500

_FULL_RANGE_TYPES = frozenset({"int64", "float64", "float32", "bfloat16"})


def randint(
    generator: Generator | None,
    low: int,
    high: int | None,
    shape: Shape,
    dtype: Any = np.int64,
) -> np.ndarray:
    """Integers in [low, high), in any real type.

    `high=None` means up to the largest integer of the type; with `low=-2**63` as well, all of
    int64. These are the forms `random_(low, high)` and `random_(low, None)`.
    """
    everything = FLOATS | INTEGERS | WIDE_UNSIGNED | {"bool"}
    dtype = require_dtype(dtype, everything, "random_from_to_kernel_cpu")
    if high is None and low == _INT64_MIN:
        return _all_int64(generator, shape, dtype)
    low, last = _checked_range(int(low), None if high is None else int(high), dtype)
    width = last - low + 1
    shape = normalized_shape(shape)
    count = element_count(shape)
    generator = chosen(generator)
    with generator.lock:
        wide = width >= _WIDE_RANGE
        words = generator.double_words(count) if wide else generator.words(count)
    values = _remainder(words, width).view(np.int64)
    values += np.uint64(low % 2**64).astype(np.int64)
    return _from_int64(values, dtype).reshape(shape)


def random_full(generator: Generator | None, shape: Shape, dtype: Any = np.float32) -> np.ndarray:
    """Non-negative integers up to the largest of the type: `Tensor.random_()`.

    Floating types stop at 2**(significand bits), the last integer before gaps appear.
    """
    allowed = FLOATS | INTEGERS | {"bool"}
    dtype = require_dtype(dtype, allowed, "random_kernel_cpu")
    shape = normalized_shape(shape)
    count = element_count(shape)
    if type_name(dtype) in SIGNIFICAND_BITS:
        width = 2 ** SIGNIFICAND_BITS[type_name(dtype)] + 1
    elif type_name(dtype) == "bool":
        width = 2
    else:
        width = int(np.iinfo(dtype).max) + 1
    generator = chosen(generator)
    with generator.lock:
        wide = type_name(dtype) in ("int64", "float64")
        words = generator.double_words(count) if wide else generator.words(count)
    return _from_int64(_remainder(words, width).view(np.int64), dtype).reshape(shape)


def randperm(generator: Generator | None, n: int, dtype: Any = np.int64) -> np.ndarray:
    """A random order of 0 ... n-1, by exchanging each position with a later one in turn."""
    dtype = require_dtype(dtype, FLOATS | INTEGERS, "randperm")
    if n < 0:
        raise Refusal(
            f"Trying to create tensor with negative dimension {n}: [{n}]. n must be at least 0"
        )
    if type_name(dtype) in INTEGERS and n - 1 > np.iinfo(dtype).max:
        raise Refusal(
            f"value cannot be converted to type {dtype.name}_t without overflow: a permutation "
            f"of {n} needs values up to {n - 1}. Use dtype int64"
        )
    generator = chosen(generator)
    if n >= _LARGE_PERMUTATION:
        return _inside_out_shuffle(generator, n, dtype)
    with generator.lock:
        words = generator.words(max(n - 1, 0))
    steps = np.arange(len(words), dtype=np.uint64)
    words %= np.uint64(n) - steps
    words += steps
    return _from_int64(_after_exchanges(words.view(np.int64), n), dtype)


def _after_exchanges(partners: np.ndarray, n: int) -> np.ndarray:
    """0 ... n-1 after exchanging position i with partners[i] >= i, for each i in turn."""
    if n < _FEW:
        order = list(range(n))
        for position, partner in enumerate(partners.tolist()):
            order[position], order[partner] = order[partner], order[position]
        return np.array(order, np.int64)
    # All steps at once. Step i takes its value from the position `partners[i]`: untouched, or
    # left there by the last earlier step with the same partner, which put its own value there.
    steps = np.arange(n - 1)
    keys = np.sort((partners << 32) | steps)
    target, step = keys >> 32, keys & 0xFFFFFFFF
    repeated = np.flatnonzero(target[1:] == target[:-1])
    source = np.arange(n)  # the step that put its value here before this position's own step
    before = step < target
    source[target[before]] = step[before]  # ascending, so the last one stays
    while True:  # follow the steps back to positions that nobody had touched
        further = source[source]
        if np.array_equal(further, source):
            break
        source = further
    order = np.append(partners, source[n - 1])
    order[step[repeated + 1]] = source[step[repeated]]
    return order


def _inside_out_shuffle(generator: Generator, n: int, dtype: np.dtype) -> np.ndarray:
    """The order for huge n: each new value takes the place of an earlier one, drawn in 64 bits."""
    order = array("q", bytes(8 * n))
    with generator.lock:
        for start in range(0, n, _PLACES_AT_ONCE):
            positions = np.arange(start, min(start + _PLACES_AT_ONCE, n), dtype=np.uint64)
            places = generator.double_words(len(positions)) % (positions + np.uint64(1))
            for position, place in enumerate(places.tolist(), start):
                order[position] = order[place]
                order[place] = position
    return _from_int64(np.frombuffer(order, np.int64), dtype)


def _all_int64(generator: Generator | None, shape: Shape, dtype: np.dtype) -> np.ndarray:
    if type_name(dtype) not in _FULL_RANGE_TYPES:
        raise Refusal(
            "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16, "
            f"not {dtype.name}. Draw int64 and convert"
        )
    shape = normalized_shape(shape)
    generator = chosen(generator)
    with generator.lock:
        words = generator.double_words(element_count(shape))
    return _from_int64(words.view(np.int64), dtype).reshape(shape)


def _remainder(words: np.ndarray, width: int) -> np.ndarray:
    """words % width in place."""
    if width & (width - 1) == 0:
        return np.bitwise_and(words, np.uint64(width - 1), out=words)
    # NumPy divides by a constant with vector instructions, but has no such remainder.
    multiples = words // np.uint64(width)
    multiples *= np.uint64(width)
    return np.subtract(words, multiples, out=words)


def _from_int64(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if type_name(dtype) in ("float16", "bfloat16"):
        # PyTorch has no direct conversion from int64 either: it rounds to float32 first.
        with np.errstate(over="ignore"):
            return values.astype(np.float32).astype(dtype)
    return values.astype(dtype, copy=False)


# --- ranges ---


def _checked_range(low: int, high: int | None, dtype: np.dtype) -> tuple[int, int]:
    """The first and last integer to draw, after the checks of `random_`."""
    if high is not None and low >= high:
        raise Refusal(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}\n"
            f"  The integers are drawn from {low} up to, but without, {high}: there are none.",
            f"give a larger upper bound, such as {max(low, high) + 1}, or exchange the two.",
        )
    if type_name(dtype) in FLOATS:
        low = _first_representable(low, dtype)
        if high is None:
            last = 2 ** SIGNIFICAND_BITS[type_name(dtype)]
        else:
            last = _last_representable_bound(high, dtype) - 1
        if low > last:
            raise Refusal(
                f"random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                f"but got from={low} >= to={last + 1}: {dtype.name} has no value between them"
            )
    elif high is None:
        last = 1 if type_name(dtype) == "bool" else min(int(np.iinfo(dtype).max), _INT64_MAX)
    else:
        last = high - 1
    _check_within_type(low, last, dtype)
    return low, last


def _check_within_type(low: int, last: int, dtype: np.dtype) -> None:
    if type_name(dtype) == "bool":
        smallest, largest = 0, 1
    elif type_name(dtype) in FLOATS:
        largest = largest_finite(dtype)
        smallest = -largest
    else:
        smallest, largest = int(np.iinfo(dtype).min), min(int(np.iinfo(dtype).max), _INT64_MAX)
    for name, value in (("from", low), ("to - 1", last)):
        if not smallest <= value <= largest:
            raise Refusal(
                f"{name} is out of bounds for {c_type_name(dtype)}: {value} does not fit "
                f"{dtype.name}, which holds {smallest} to {largest}",
                "give smaller bounds, or a dtype that holds them.",
            )
        bits = SIGNIFICAND_BITS.get(type_name(dtype), 64)
        if abs(value) > 2**bits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{bits}), 2^{bits}]. Due to precision limitations "
                f"{c_type_name(dtype)} can support discrete uniform distribution only within "
                f"this range: {value} lies outside, so some integers cannot occur",
                UserWarning,
                stacklevel=4,
            )


def _rounded(value: int, dtype: np.dtype) -> int:
    """`value` after a trip through the floating type; int64 saturates as on x86."""
    with np.errstate(over="ignore"):
        narrow = np.float32(value).astype(dtype) if dtype.itemsize == 2 else dtype.type(value)
    result = float(narrow)
    return int(result) if -(2.0**63) <= result < 2.0**63 else _INT64_MIN


def _spacing(value: int, dtype: np.dtype) -> int:
    return 1 << max(abs(value).bit_length() - SIGNIFICAND_BITS[type_name(dtype)], 0)


def _first_representable(low: int, dtype: np.dtype) -> int:
    """Move `low` right where casting the first integers would round below it."""
    after = _rounded(low + 1, dtype)
    return after + _spacing(low + 1, dtype) if after < low else low


def _last_representable_bound(high: int, dtype: np.dtype) -> int:
    """Move `high` left where casting the last integers would round up to it."""
    before = _rounded(high - 1, dtype)
    return before - _spacing(high - 1, dtype) if before >= high else high
