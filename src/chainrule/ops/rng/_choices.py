"""Yes-or-no draws, waiting times, categories, and the noise of dropout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import Refusal
from ..kernels import fast
from ..layout import memory_order
from ._checks import (
    FLOATS,
    INTEGERS,
    Shape,
    cast_from_double,
    chosen,
    element_count,
    normalized_shape,
    require_dtype,
    scalar_type_name,
    type_name,
)
from ._continuous import exponential
from ._generator import Generator
from ._uniform import doubles, singles

_MOST_CATEGORIES = 2**24


def bernoulli(
    generator: Generator | None,
    shape: Shape,
    dtype: Any = np.float32,
    p: float = 0.5,
    one: float = 1.0,
) -> np.ndarray:
    """Ones (or what stands for them) with probability `p`, else zeros; two words each."""
    allowed = FLOATS | INTEGERS | {"bool"}
    dtype = require_dtype(dtype, allowed, "bernoulli_scalar_cpu_")
    if not 0 <= p <= 1:
        raise Refusal(
            f"bernoulli_ expects p to be in [0, 1], but got p={p:g}. Use clamp or sigmoid to make "
            "it a probability"
        )
    shape = normalized_shape(shape)
    generator, count = chosen(generator), element_count(shape)
    if count and type_name(dtype) in ("float32", "float64"):
        mask = np.empty(shape, dtype)
        with generator.lock:
            # A uniform is a multiple of 2**-53, and p times 2**53 is exact.
            if fast.fill_mask(generator.state_address(), mask, math.ceil(p * 2.0**53), one):
                return mask
    mask = (doubles(generator, count) < p).astype(dtype).reshape(shape)
    return mask if one == 1 else mask * dtype.type(one)


def bernoulli_array(
    generator: Generator | None, probabilities: np.ndarray, dtype: Any = None
) -> np.ndarray:
    """Ones with the probability given for each element; `dtype` is that of the probabilities.

    float64 probabilities take two words each, the narrower types one.
    """
    require_dtype(probabilities.dtype, FLOATS, "bernoulli_tensor_cpu_p_")
    dtype = probabilities.dtype if dtype is None else dtype
    dtype = require_dtype(dtype, FLOATS | INTEGERS | {"bool"}, "bernoulli_tensor_cpu_self_")
    double = type_name(probabilities.dtype) == "float64"
    p = probabilities if double else probabilities.astype(np.float32, copy=False)
    valid = (p >= 0) & (p <= 1)
    if not valid.all():
        raise Refusal(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false: the probability "
            f"{p[~valid].flat[0]:g} is not between 0 and 1. Use clamp or sigmoid first"
        )
    draw = doubles if double else singles
    uniforms = draw(chosen(generator), p.size).reshape(p.shape)
    return (uniforms < p).astype(dtype)


def geometric(
    generator: Generator | None, shape: Shape, dtype: Any = np.float32, p: float = 0.5
) -> np.ndarray:
    """Number of trials up to the first success of probability `p`."""
    dtype = require_dtype(dtype, FLOATS | INTEGERS, "geometric_cpu")
    if not 0 < p < 1:
        raise Refusal(
            f"geometric_ expects p to be in (0, 1), but got p={p:g}. "
            "With p=0 no trial ever succeeds"
        )
    shape = normalized_shape(shape)
    uniforms = doubles(chosen(generator), element_count(shape))
    with np.errstate(divide="ignore"):
        trials = np.ceil(np.log(uniforms) / math.log1p(-p))
    return cast_from_double(trials, dtype).reshape(shape)


def dropout_mask(
    generator: Generator | None,
    shape: Shape,
    dtype: Any = np.float32,
    p: float = 0.5,
    kept: float = 1.0,
) -> np.ndarray:
    """Zeros with probability `p`, else `kept`: the draw behind every dropout.

    Dropout multiplies by the mask with 1 / (1 - p) for `kept`. Channel-wise dropout draws the same
    with the shape (N, C, 1, ...), and alpha dropout uses the mask as it is. For p = 0 and p = 1
    nothing is random, and as in PyTorch no word of the stream is taken.
    """
    if not 0 <= p <= 1:
        raise ValueError(
            f"dropout probability has to be between 0 and 1, but got {p}. "
            "It is the share of elements set to zero"
        )
    if p in (0, 1):
        return np.full(normalized_shape(shape), 1 - p, np.dtype(dtype))
    return bernoulli(generator, shape, dtype, 1.0 - p, kept)


# --- categories ---


def multinomial(
    generator: Generator | None,
    weights: np.ndarray,
    num_samples: int,
    replacement: bool = False,
) -> np.ndarray:
    """Indices of categories drawn with the given weights, one row per row of `weights`.

    Where several categories of weight zero have to be returned (more samples than non-zero
    weights), their order is ours, lowest index first; PyTorch's depends on its sorting.
    """
    _check_multinomial(weights, num_samples, replacement)
    if replacement and num_samples > 1:
        draw = _categories_with_replacement
    else:
        draw = _categories_by_race
    if weights.ndim == 1:
        return draw(chosen(generator), weights[None], num_samples)[0]
    return draw(chosen(generator), weights, num_samples)


def _check_multinomial(weights: np.ndarray, num_samples: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2) or (weights.ndim == 1 and weights.size == 0):
        raise Refusal(
            f"prob_dist must be 1 or 2 dim, but its shape is {weights.shape}. "
            "Flatten the leading dimensions first"
        )
    if type_name(weights.dtype) not in FLOATS:
        raise Refusal(
            "multinomial only supports floating-point dtypes for input, got: "
            f"{scalar_type_name(weights.dtype)}. Convert the weights to float32"
        )
    if num_samples <= 0:
        raise Refusal(f"cannot sample n_sample <= 0 samples: num_samples is {num_samples}")
    categories = weights.shape[-1]
    if not replacement and num_samples > categories:
        raise Refusal(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
            f"{num_samples} samples from {categories} categories. Pass replacement=True"
        )
    if categories > _MOST_CATEGORIES:
        raise Refusal(
            f"number of categories cannot exceed 2^24, but the last dimension is {categories}"
        )


def _categories_by_race(generator: Generator, weights: np.ndarray, num_samples: int) -> np.ndarray:
    """Each category finishes after an exponential time over its weight; the fastest win."""
    values = weights.astype(np.float32) if weights.dtype.itemsize == 2 else weights
    if not (np.isfinite(values) & (values >= 0)).all():
        raise Refusal(
            "probability tensor contains either `inf`, `nan` or element < 0. "
            "Check the logits these weights came from, or use clamp(min=0)"
        )
    _check_sums(values.sum(axis=-1))
    if memory_order(weights) == (0, 1):
        times = exponential(generator, weights.shape, weights.dtype)
    else:  # drawn in the order in which the weights lie
        times = exponential(generator, weights.shape[::-1], weights.dtype).T
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        speeds = weights / times
    if num_samples == 1:
        return np.argmax(speeds, axis=-1, keepdims=True)
    return np.argsort(-speeds, axis=-1, kind="stable")[:, :num_samples].copy()


def _categories_with_replacement(
    generator: Generator, weights: np.ndarray, num_samples: int
) -> np.ndarray:
    accumulator = np.float64 if type_name(weights.dtype) == "float64" else np.float32
    values = weights.astype(accumulator, copy=False)
    if not (values >= 0).all() or not np.isfinite(values).all():
        problem = "entry < 0" if (values < 0).any() else "entry = infinity or NaN"
        raise Refusal(
            f"invalid multinomial distribution (encountering probability {problem}). "
            "Check the logits these weights came from, or use clamp(min=0)"
        )
    if values.shape[-1] == 0:
        _check_sums(np.zeros(values.shape[0]))  # pyright: ignore[reportUnknownArgumentType]
    sums = np.cumsum(values, axis=-1, dtype=accumulator)
    _check_sums(sums[:, -1])
    sums /= sums[:, -1:]
    uniforms = doubles(generator, len(sums) * num_samples).reshape(-1, num_samples)
    rows = [
        np.searchsorted(row.astype(np.float64), u) for row, u in zip(sums, uniforms, strict=True)
    ]
    return np.array(rows, np.int64).reshape(-1, num_samples)


def _check_sums(sums: np.ndarray) -> None:
    if not (sums > 0).all():
        raise Refusal(
            "invalid multinomial distribution (sum of probabilities <= 0). "
            f"Row {int(np.argmax(~(sums > 0)))} has no positive weight"
        )
