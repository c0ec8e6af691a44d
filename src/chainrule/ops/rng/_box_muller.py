"""Box-Muller in single precision, rounded operation by operation as PyTorch's AVX2 code does.

The logarithm, sine and cosine are the classical Cephes minimax polynomials for floats. To be
equal to the last bit, each fused multiply-add must round once: it is done here in float64, where
the product of two floats is exact, and then rounded to float32. Rounding twice differs from
rounding once only on a tie of 1 in 2**29, and only where the sum is inexact in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_f32 = np.float32


def _single(constant: float) -> float:
    """The float32 nearest to `constant`."""
    return float(_f32(constant))


_LOG_COEFFICIENTS = tuple(
    map(
        _single,
        (
            7.0376836292e-2,
            -1.1514610310e-1,
            1.1676998740e-1,
            -1.2420140846e-1,
            1.4249322787e-1,
            -1.6668057665e-1,
            2.0000714765e-1,
            -2.4999993993e-1,
            3.3333331174e-1,
        ),
    )
)
_LN2_HIGH, _LN2_LOW = 0.693359375, _single(-2.12194440e-4)
_SQRT_HALF_BITS = int(_f32(0.707106781186547524).view(np.int32))

_MINUS_QUARTER_PI = tuple(
    map(_single, (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8))
)
_FOUR_OVER_PI = _f32(1.27323954473516)
_TWO_PI = _f32(2 * np.pi)
_SINE_COEFFICIENTS = tuple(map(_single, (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)))
_COSINE_COEFFICIENTS = tuple(
    map(_single, (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2))
)


def normals_from_uniforms(uniforms: np.ndarray, mean: float, std: float) -> None:
    """Replace float32 uniforms by normals in place; the size must be a multiple of 16.

    In each block of 16, values j and j + 8 make one pair.
    """
    blocks = uniforms.reshape(-1, 2, 8)
    radius = _log(_f32(1) - blocks[:, 0].ravel())
    radius *= _f32(-2)
    np.sqrt(radius, out=radius)
    sine, cosine = _sine_and_cosine(blocks[:, 1].ravel() * _TWO_PI)
    cosine *= radius
    sine *= radius
    blocks[:, 0] = _scaled(cosine, mean, std).reshape(-1, 8)
    blocks[:, 1] = _scaled(sine, mean, std).reshape(-1, 8)


def _scaled(standard: np.ndarray, mean: float, std: float) -> np.ndarray:
    if std == 1.0 and mean == 0.0:
        # Adding zero turns -0.0 into 0.0, as the fused operation does.
        return standard + _f32(0)
    with np.errstate(over="ignore", invalid="ignore"):
        return (standard * np.float64(_f32(std)) + np.float64(_f32(mean))).astype(_f32)


class _Rounding:
    """Arithmetic on float64 arrays that hold float32 values, rounded to float32 at each step."""

    __slots__ = ("_scratch",)

    def __init__(self, count: int) -> None:
        self._scratch = np.empty(count, _f32)

    def round(self, value: np.ndarray) -> np.ndarray:
        self._scratch[:] = value
        value[:] = self._scratch
        return value

    def multiply(self, value: np.ndarray, factor: np.ndarray) -> np.ndarray:
        value *= factor
        return self.round(value)

    def add(self, value: np.ndarray, term: Any) -> np.ndarray:
        value += term
        return self.round(value)

    def multiply_add(self, value: np.ndarray, factor: np.ndarray, term: Any) -> np.ndarray:
        value *= factor
        value += term
        return self.round(value)

    def polynomial(self, x: np.ndarray, coefficients: tuple[float, ...]) -> np.ndarray:
        value = x * coefficients[0]
        self.add(value, coefficients[1])
        for coefficient in coefficients[2:]:
            self.multiply_add(value, x, coefficient)
        return value


def _log(x: np.ndarray) -> np.ndarray:
    """Natural logarithm of float32 values in (0, 1]."""
    bits = x.view(np.int32)
    mantissa_bits = bits & 0x007FFFFF
    mantissa_bits |= 0x3F000000  # in [0.5, 1)
    doubled = (mantissa_bits < _SQRT_HALF_BITS).astype(np.int32)
    e = ((bits >> 23) - 126 - doubled).astype(np.float64)
    mantissa_bits += doubled << 23
    m = (mantissa_bits.view(_f32) - _f32(1)).astype(np.float64)

    rounding = _Rounding(x.size)
    square = rounding.round(m * m)
    value = rounding.polynomial(m, _LOG_COEFFICIENTS)
    rounding.multiply(value, m)
    rounding.multiply_add(value, square, rounding.round(e * _LN2_LOW))
    square *= -0.5
    rounding.add(value, square)
    rounding.add(value, m)
    value += e * _LN2_HIGH
    return value.astype(_f32)


def _sine_and_cosine(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine of float32 angles in [0, 2 pi]."""
    octant = (angle * _FOUR_OVER_PI).astype(np.int32)
    octant += 1
    octant &= ~1
    steps = octant.astype(np.float64)

    rounding = _Rounding(angle.size)
    x = angle.astype(np.float64)
    for part in _MINUS_QUARTER_PI:
        rounding.add(x, steps * part)
    z = rounding.round(x * x)

    cosine = rounding.polynomial(z, _COSINE_COEFFICIENTS)
    rounding.multiply(cosine, z)
    rounding.multiply_add(cosine, z, z * -0.5)
    cosine += 1.0

    sine = rounding.polynomial(z, _SINE_COEFFICIENTS)
    rounding.multiply(sine, z)
    sine *= x
    sine += x
    return _placed_in_octant(octant, sine.astype(_f32), cosine.astype(_f32))


def _placed_in_octant(
    octant: np.ndarray, sine: np.ndarray, cosine: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Exchange the two and set their signs, on the bits: masked writes are far slower."""
    sine_bits, cosine_bits = sine.view(np.int32), cosine.view(np.int32)
    exchanged = (octant << 30) >> 31  # all ones where bit 1 of the octant is set
    exchanged &= sine_bits ^ cosine_bits
    sine_bits ^= exchanged
    cosine_bits ^= exchanged
    sine_bits ^= (octant & 4) << 29
    cosine_bits ^= (~(octant - 2) & 4) << 29
    return sine, cosine
