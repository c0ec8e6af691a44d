"""Normal draws: blocks of 16 for contiguous results, waiting pairs for all others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..allocation import expect
from ..kernels import fast
from ._box_muller import normals_from_uniforms
from ._checks import (
    COMPLEX,
    FLOATS,
    Shape,
    cast_from_double,
    chosen,
    element_count,
    normalized_shape,
    require_dtype,
    type_name,
)
from ._generator import Generator
from ._libm import exact, fused_multiply_add
from ._uniform import CHUNK, _part_type, doubles, fill_doubles, fill_singles  # pyright: ignore[reportPrivateUsage]

_BLOCK = 16


def normal(
    generator: Generator | None,
    shape: Shape,
    dtype: Any = np.float32,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> np.ndarray:
    """Normal values. Complex types get parts of half the variance each.

    Sixteen or more values for a contiguous result are made in blocks of 16 and leave the waiting
    half of a pair alone; pass `contiguous=False` when they will fill a strided view, which
    PyTorch fills one value at a time, as it does with fewer than sixteen.
    """
    dtype = require_dtype(dtype, FLOATS | COMPLEX, "normal_kernel_cpu")
    shape = normalized_shape(shape)
    check_std(std)
    if dtype.kind == "c":
        part_std = std / math.sqrt(2)
        parts = normal(
            generator, (*shape, 2), _part_type(dtype), mean, part_std, contiguous=contiguous
        )
        return parts.view(dtype)[..., 0]
    generator = chosen(generator)
    count = element_count(shape)
    if count >= _BLOCK and contiguous:
        values = _normals_in_blocks(generator, count, dtype, float(mean), float(std))
    else:
        values = cast_from_double(paired_normals(generator, count, mean, std, dtype), dtype)
    return values.reshape(shape)


def normal_like(
    generator: Generator | None,
    mean: np.ndarray | float,
    std: np.ndarray | float,
) -> np.ndarray:
    """One normal value for each pair of the broadcast mean and std: `torch.normal(mean, std)`.

    The result has the type of the mean, or of the std where the mean is a number.
    """
    if not isinstance(std, np.ndarray):
        assert isinstance(mean, np.ndarray)
        return normal(generator, mean.shape, mean.dtype, 0.0, std) + mean
    if std.dtype.kind == "c":
        raise RuntimeError(
            f"normal expects standard deviation to be non-complex, but std is {std.dtype.name}. "
            "Pass its absolute value"
        )
    if std.size and not (std >= 0).all():
        raise RuntimeError(
            f"normal expects all elements of std >= 0.0, but the smallest is {std.min()}. "
            "Pass its absolute value or exp(log_std)"
        )
    if not isinstance(mean, np.ndarray):
        dtype, shape = std.dtype, std.shape
    else:
        dtype, shape = mean.dtype, np.broadcast_shapes(mean.shape, std.shape)
    values = normal(generator, shape, dtype)
    values *= std.astype(dtype, copy=False)
    values += np.asarray(mean).astype(dtype, copy=False)
    return values


def log_normal(
    generator: Generator | None,
    shape: Shape,
    dtype: Any = np.float32,
    mean: float = 1.0,
    std: float = 2.0,
) -> np.ndarray:
    """exp of normal values with the given mean and std, always made pair by pair."""
    dtype = require_dtype(dtype, FLOATS, "log_normal_cpu")
    if not std > 0:
        raise RuntimeError(
            f"log_normal_ expects std > 0.0, but found std={std:g}. "
            "The std is that of the logarithm and must be positive"
        )
    shape = normalized_shape(shape)
    values = paired_normals(chosen(generator), element_count(shape), mean, std, dtype)
    return cast_from_double(_function("exp", values, dtype), dtype).reshape(shape)


def check_std(std: float) -> None:
    if not std >= 0:
        raise RuntimeError(
            f"normal expects std >= 0.0, but found std {std:g}. Pass its absolute value"
        )


def _function(name: str, x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A function in double; its last bit only shows in float64 results, where it is exact."""
    if type_name(dtype) == "float64":
        return exact(name, x)
    with np.errstate(over="ignore", divide="ignore"):
        return getattr(np, name)(x)


# --- pair by pair ---


def paired_normals(
    generator: Generator, count: int, mean: float, std: float, dtype: np.dtype
) -> np.ndarray:
    """`count` normals in float64, two from each pair of 53-bit uniforms.

    The second of an odd last pair waits in the generator and is the next one handed out.
    """
    standard = np.empty(count, np.float64)
    with generator.lock:
        filled = 0
        if count and generator.waiting_normal is not None:
            standard[0] = generator.waiting_normal
            generator.waiting_normal = None
            filled = 1
        uniforms = doubles(generator, count - filled + (count - filled) % 2)
        angle = uniforms[0::2] * (2.0 * math.pi)
        radius = np.sqrt(-2.0 * _function("log1p", -uniforms[1::2], dtype))
        cosines = radius * _function("cos", angle, dtype)
        standard[filled::2] = cosines
        sines = radius * _function("sin", angle, dtype)
        standard[filled + 1 :: 2] = sines[: (count - filled) // 2]
        if (count - filled) % 2:
            # Kept in full precision: a float64 draw may be the one that takes it.
            last_radius = math.sqrt(-2.0 * math.log1p(-uniforms[-1]))
            generator.waiting_normal = last_radius * math.sin(angle[-1])
    return fused_multiply_add(standard, float(std), float(mean))


# --- blocks of 16 ---


def _normals_in_blocks(
    generator: Generator, count: int, dtype: np.dtype, mean: float, std: float
) -> np.ndarray:
    whole = count - count % _BLOCK
    expect((count,), dtype.itemsize)
    out = np.empty(count, dtype)
    with generator.lock:
        if fast.fill_normals(generator.state_address(), out, mean, std):
            return out
        for start in range(0, whole, CHUNK):
            part = out[start : min(start + CHUNK, whole)]
            part[...] = _block_normals(generator, part.size, dtype, mean, std)
        if count != whole:
            if dtype.itemsize > 2:
                # The uniforms of the incomplete block are drawn too, though never used.
                generator.skip_words((count - whole) * (dtype.itemsize // 4))
            out[-_BLOCK:] = _block_normals(generator, _BLOCK, dtype, mean, std)
    return out


def _block_normals(
    generator: Generator, count: int, dtype: np.dtype, mean: float, std: float
) -> np.ndarray:
    if type_name(dtype) == "float64":
        return _double_block_normals(generator, count, mean, std)
    expect((count,), 4)
    values = np.empty(count, np.float32)
    fill_singles(generator, values)
    normals_from_uniforms(values, mean, std)
    return values.astype(dtype, copy=False)


def _double_block_normals(generator: Generator, count: int, mean: float, std: float) -> np.ndarray:
    expect((count,), 8)
    values = np.empty(count, np.float64)
    fill_doubles(generator, values)
    blocks = values.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * exact("log", 1.0 - blocks[:, 0].ravel()))
    angle = blocks[:, 1].ravel() * (2.0 * math.pi)
    blocks[:, 0] = (radius * exact("cos", angle)).reshape(-1, 8)
    blocks[:, 1] = (radius * exact("sin", angle)).reshape(-1, 8)
    return fused_multiply_add(values, std, mean)
