"""Box-Muller in single precision, rounded operation by operation as PyTorch's AVX2 code does.

The logarithm, sine and cosine are the classical Cephes minimax polynomials for floats. To be
equal to the last bit, each fused multiply-add must round once: it is done here in float64, where
the product of two floats is exact, and then rounded to float32. Rounding twice differs from
rounding once only on a tie of 1 in 2**29, and only where the sum is inexact in float64.
"""

from __future__ import annotations

import numpy as np

_f32 = np.float32

_LOG_COEFFICIENTS = (
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_LOG_LEADING = 7.0376836292e-2
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
_SQRT_HALF = _f32(0.707106781186547524)

_QUARTER_PI_PARTS = (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
_FOUR_OVER_PI = _f32(1.27323954473516)
_SINE_COEFFICIENTS = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COSINE_COEFFICIENTS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)


def normals_from_uniforms(uniforms: np.ndarray, mean: float, std: float) -> None:
    """Replace float32 uniforms by normals in place; the size must be a multiple of 16.

    In each block of 16, values j and j + 8 make one pair.
    """
    blocks = uniforms.reshape(-1, 2, 8)
    radius_source = _f32(1) - blocks[:, 0].ravel()
    angle = blocks[:, 1].ravel() * _f32(2 * np.pi)
    radius = np.sqrt(_log(radius_source) * _f32(-2))
    sine, cosine = _sine_and_cosine(angle)
    blocks[:, 0] = _scaled(radius * cosine, mean, std).reshape(-1, 8)
    blocks[:, 1] = _scaled(radius * sine, mean, std).reshape(-1, 8)


def _scaled(standard: np.ndarray, mean: float, std: float) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        std32, mean32 = np.float64(_f32(std)), np.float64(_f32(mean))
        if std32 == 1.0 and mean32 == 0.0:
            # Adding zero turns -0.0 into 0.0, as the fused operation does.
            return standard + _f32(0)
        return (standard * std32 + mean32).astype(_f32)


class _Fused:
    """A float64 accumulator that holds float32 values and rounds after each step."""

    def __init__(self, start: np.ndarray) -> None:
        self.value = start
        self._rounded = np.empty(start.shape, _f32)

    def round(self) -> None:
        np.copyto(self._rounded, self.value, casting="same_kind")
        np.copyto(self.value, self._rounded)

    def multiply(self, factor: np.ndarray) -> None:
        np.multiply(self.value, factor, out=self.value)
        self.round()

    def multiply_add(self, factor: np.ndarray, term: np.ndarray | np.floating) -> None:
        np.multiply(self.value, factor, out=self.value)
        np.add(self.value, term, out=self.value)
        self.round()

    def add(self, term: np.ndarray | np.floating) -> None:
        np.add(self.value, term, out=self.value)
        self.round()


def _widened(constant: float) -> np.float64:
    return np.float64(_f32(constant))


def _polynomial(x: np.ndarray, leading: float, coefficients: tuple[float, ...]) -> _Fused:
    # The first step has no array operand yet: leading * x + coefficients[0].
    result = _Fused(x * _widened(leading))
    result.add(_widened(coefficients[0]))
    for coefficient in coefficients[1:]:
        result.multiply_add(x, _widened(coefficient))
    return result


def _log(x: np.ndarray) -> np.ndarray:
    """Natural logarithm of float32 values in (0, 1]."""
    bits = x.view(np.int32)
    exponent = (bits >> 23) - 126
    mantissa = ((bits & 0x007FFFFF) | 0x3F000000).view(_f32)  # in [0.5, 1)
    small = mantissa < _SQRT_HALF
    exponent -= small
    mantissa = np.where(small, mantissa - _f32(1) + mantissa, mantissa - _f32(1))

    m = mantissa.astype(np.float64)
    e = exponent.astype(np.float64)
    square = _Fused(m * m)
    square.round()
    result = _polynomial(m, _LOG_LEADING, _LOG_COEFFICIENTS)
    result.multiply(m)
    low_part = _Fused(e * _widened(_LN2_LOW))
    low_part.round()
    result.multiply_add(square.value, low_part.value)
    result.add(square.value * -0.5)
    result.add(m)
    result.add(e * _widened(_LN2_HIGH))
    return result.value.astype(_f32)


def _sine_and_cosine(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine of float32 angles in [0, 2 pi]."""
    octant = (angle * _FOUR_OVER_PI).astype(np.int32)
    octant += 1
    octant &= ~1
    steps = octant.astype(np.float64)

    reduced = _Fused(angle.astype(np.float64))
    for part in _QUARTER_PI_PARTS:
        reduced.add(steps * _widened(part))
    x = reduced.value
    square = _Fused(x * x)
    square.round()
    z = square.value

    cosine = _polynomial(z, _COSINE_COEFFICIENTS[0], _COSINE_COEFFICIENTS[1:])
    cosine.multiply(z)
    cosine.multiply_add(z, z * -0.5)
    cosine.add(np.float64(1))

    sine = _polynomial(z, _SINE_COEFFICIENTS[0], _SINE_COEFFICIENTS[1:])
    sine.multiply(z)
    sine.multiply_add(x, x)

    swapped = (octant & 2) != 0
    sine_result = np.where(swapped, cosine.value, sine.value).astype(_f32)
    cosine_result = np.where(swapped, sine.value, cosine.value).astype(_f32)
    np.negative(sine_result, out=sine_result, where=(octant & 4) != 0)
    np.negative(cosine_result, out=cosine_result, where=((octant - 2) & 4) == 0)
    return sine_result, cosine_result
