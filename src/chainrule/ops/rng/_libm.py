"""Double-precision functions rounded as the C library rounds them.

PyTorch computes its double draws with the C library's scalar functions. NumPy's vectorised ones
differ from those in the last bit for some arguments on some machines, which would show in float64
results. Python's `math` calls the C library, so it is the reference: where NumPy agrees with it
on a few thousand points NumPy is used, elsewhere `math` is, element by element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_PROBE_POINTS = 4096
_WORTH_PROBING = 64
_numpy_agrees: dict[str, bool] = {}


def exact(name: str, x: np.ndarray) -> np.ndarray:
    """`math.<name>` of each element of the 1-d float64 array `x`, with IEEE infinities."""
    if x.size >= _WORTH_PROBING and _agrees(name):
        with np.errstate(all="ignore"):
            return getattr(np, name)(x)
    return _through_math(getattr(math, name), getattr(np, name), x)


def _agrees(name: str) -> bool:
    if name not in _numpy_agrees:
        # In (0, 1), the range of the uniforms that the draws start from.
        probe = (np.arange(_PROBE_POINTS) * 0.6180339887498949 + 1e-7) % 1.0
        reference = _through_math(getattr(math, name), getattr(np, name), probe)
        _numpy_agrees[name] = bool(np.array_equal(getattr(np, name)(probe), reference))
    return _numpy_agrees[name]


def _through_math(
    function: Callable[[float], float], fallback: Callable[[np.ndarray], np.ndarray], x: np.ndarray
) -> np.ndarray:
    try:
        return np.fromiter(map(function, x.tolist()), np.float64, x.size)
    except (ValueError, OverflowError):
        # `math` raises where C returns an infinity: log(0), exp(1000).
        with np.errstate(all="ignore"):
            result = fallback(x)
        finite = np.isfinite(result)
        result[finite] = list(map(function, x[finite].tolist()))
        return result


def fused_multiply_add(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """a * b + c with one rounding, for float64 `a` far from overflow."""
    if b in (0.0, 1.0) or c == 0.0 or not (math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exponent = math.frexp(max(abs(b), abs(c)))[1]
    if abs(exponent) < 400:
        return _fused(a, b, c)
    # The halves of a product would overflow or vanish: compute near one and scale back.
    return np.ldexp(_fused(a, math.ldexp(b, -exponent), math.ldexp(c, -exponent)), exponent)


def _fused(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """Dekker's exact product and Knuth's exact sum: both errors are added at the end."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(np.float64(b))
    product_error = a_low * b_low - (
        ((product - a_high * b_high) - a_low * b_high) - a_high * b_low
    )
    total = product + c
    recovered = total - product
    total_error = (product - (total - recovered)) + (c - recovered)
    return total + (total_error + product_error)


def _split(x: Any) -> tuple[Any, Any]:
    """High and low halves of the significand, so that products of halves are exact."""
    scaled = x * 134217729.0
    high = scaled - (scaled - x)
    return high, x - high
