"""Matrix products of arrays, and the complaints about factors that do not fit."""

from __future__ import annotations

import math

import numpy as np

from .dtypes import F32, F64, from_numpy_dtype
from .halves import is_bfloat16, rounded, single
from .kernels import LARGE, large_product, product_of_halves, stacked_product


class ProductError(RuntimeError):
    """Operands that cannot be multiplied; the public functions add the user's line."""


def product(a, b):
    """a @ b for arrays of at least two dimensions; leading dimensions broadcast."""
    dtype = a.dtype
    if dtype is not b.dtype:
        raise mixed_types(a, b)
    if dtype.kind == "b":
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'; convert first")
    if dtype.itemsize == 2 and dtype.kind in "fV":
        return rounded(multiply_halves(a, b), dtype)
    return multiply(a, b)


def multiply_halves(a, b):
    """a @ b of half precision, in float32."""
    if is_bfloat16(a.dtype):
        many = a.ndim > 2 and b.ndim == 2
        rows = a.reshape(math.prod(a.shape[:-1]), a.shape[-1]) if many else a
        made = product_of_halves(rows, b)
        if made is not None:
            return made.reshape(*a.shape[:-1], b.shape[1]) if many else made
    return multiply(single(a), single(b))


def multiply(a, b):
    """a @ b of one type; many matrices times one are folded into a single product."""
    try:
        if b.ndim == 2:
            if a.ndim == 2:
                return product_of_two(a, b)
            rows = math.prod(a.shape[:-1])
            flat = product_of_two(a.reshape(rows, a.shape[-1]), b)
            return flat.reshape(*a.shape[:-1], b.shape[1])
        return stacked_product(a, b)
    except ValueError:
        raise mismatched(a, b) from None


# Sums of so many products lose digits: in a small product, which BLAS makes as it is, and in a
# blocked one.
LONG, LONG_BLOCKED = 1 << 11, 1 << 16


def longest_sum(m, n, k):
    """Up to how many products a product of matrices of these sizes sums without loss of digits."""
    blocked = m * n * k >= LARGE and min(m, n) >= 8
    return LONG_BLOCKED if blocked else LONG


def product_of_two(a, b):
    """a @ b of two matrices; long sums in blocks, which are added as doubles."""
    (m, k), n = a.shape, b.shape[1]
    dot = large_product if m * n * k >= LARGE else np.dot
    longest = longest_sum(m, n, k)
    if k <= longest or a.dtype is not F32:
        return dot(a, b)
    return in_blocks(dot, a, b, longest // 2).astype(F32)


def in_blocks(dot, a, b, step):
    """dot(a, b), summed as doubles over blocks of a's last and b's first dimension."""
    if a.shape[-1] != b.shape[0]:
        return dot(a, b)  # which says so
    if dot is np.dot:
        dot = np.matmul  # it reads parts of a matrix where they are; np.dot copies them first
    total = np.asarray(dot(a[..., :step], b[:step]), F64)
    for start in range(step, len(b), step):
        total = total + dot(a[..., start : start + step], b[start : start + step])
    return total


def mixed_types(a, b):
    """The complaint about factors of two types."""
    names = [TYPE_WORDS.get(from_numpy_dtype(x.dtype).name) or str(x.dtype) for x in (a, b)]
    return ProductError(
        f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}"
    )


TYPE_WORDS = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "int64": "long long", "int32": "int", "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}  # fmt: skip


def mismatched(a, b):
    """The complaint about shapes that do not fit, in the words of the product they make."""
    if b.ndim == 2:
        rows = math.prod(a.shape[:-1])
        return ProductError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a.shape[-1]} and "
            f"{b.shape[0]}x{b.shape[1]})"
        )
    for k in range(3, max(a.ndim, b.ndim) + 1):
        n, m = (x.shape[-k] if x.ndim >= k else 1 for x in (a, b))
        if n != m and 1 not in (n, m):
            return ProductError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at "
                f"non-singleton dimension {max(a.ndim, b.ndim) - k}"
            )
    lead = math.prod(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    return ProductError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{lead}, {a.shape[-1]}] "
        f"but got: [{lead}, {b.shape[-2]}]."
    )


def mismatched_vector(a, x):
    """The complaint about a matrix and a vector that do not fit."""
    if a.ndim != 2 or x.ndim != 1:
        return ProductError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {x.ndim}")
    return ProductError(
        f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), vec "
        f"({x.shape[0]})"
    )
