"""Exponential and Cauchy draws, and the slopes of a randomised leaky ReLU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import Refusal
from ._checks import (
    FLOATS,
    Shape,
    cast_from_double,
    chosen,
    element_count,
    normalized_shape,
    require_dtype,
    scalar_type_name,
    type_name,
)
from ._generator import Generator
from ._libm import fused_multiply_add
from ._normal import _function  # pyright: ignore[reportPrivateUsage]
from ._uniform import doubles


def exponential(
    generator: Generator | None, shape: Shape, dtype: Any = np.float32, rate: float = 1.0
) -> np.ndarray:
    """Exponential values of the given rate (lambda)."""
    dtype = np.dtype(dtype)
    _require_continuous(dtype, "Exponential")
    if not rate > 0:
        raise Refusal(
            f"exponential_ expects lambda > 0.0, but found lambda={rate:g}. "
            "The rate is the inverse of the mean"
        )
    shape = normalized_shape(shape)
    uniforms = doubles(chosen(generator), element_count(shape))
    values = _function("log1p", -uniforms, dtype)
    values *= -1.0 / rate
    return cast_from_double(values, dtype).reshape(shape)


def cauchy(
    generator: Generator | None,
    shape: Shape,
    dtype: Any = np.float32,
    median: float = 0.0,
    sigma: float = 1.0,
) -> np.ndarray:
    """Cauchy values around `median` with scale `sigma`."""
    dtype = np.dtype(dtype)
    if not sigma > 0:
        raise Refusal(
            f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}. Pass a positive scale"
        )
    _require_continuous(dtype, "Cauchy")
    shape = normalized_shape(shape)
    uniforms = doubles(chosen(generator), element_count(shape))
    slopes = _function("tan", math.pi * (uniforms - 0.5), dtype)
    values = fused_multiply_add(slopes, float(sigma), float(median))
    return cast_from_double(values, dtype).reshape(shape)


def rrelu_noise(
    generator: Generator | None, x: np.ndarray, lower: float = 1 / 8, upper: float = 1 / 3
) -> np.ndarray:
    """The factor of each element in `rrelu` while training: random where x <= 0, else 1.

    Only elements x <= 0 take words from the stream.
    """
    allowed = frozenset({"float32", "float64", "bfloat16"})
    dtype = require_dtype(x.dtype, allowed, "rrelu_with_noise_out_cpu")
    if type_name(dtype) != "float64":
        lower, upper = float(np.float32(lower)), float(np.float32(upper))
    leaking = x <= 0
    noise = np.ones(x.shape, dtype)
    uniforms = doubles(chosen(generator), int(np.count_nonzero(leaking)))
    noise[leaking] = cast_from_double(uniforms * (upper - lower) + lower, dtype)
    return noise


def _require_continuous(dtype: np.dtype, name: str) -> None:
    if type_name(dtype) not in FLOATS:
        raise Refusal(
            f"{name} distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {scalar_type_name(dtype)}. Draw into float32 and "
            "round if you need integers"
        )
