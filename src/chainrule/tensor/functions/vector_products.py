"""Products of vectors, and of all pairs of their elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ..api import public
from .common import P, TensorBase, axis_of
from .products import mm

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor


@public(aliases=("ger",))
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The matrix of all products of two vectors' elements."""
    for name, x in (("self", input), ("vec2", vec2)):
        if x.ndim != 1:
            raise refusal.runtime(f"outer: Expected 1-D argument {name}, but got {x.ndim}-D")
    return input.unsqueeze(1) * vec2


@public(exact_out=True)
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products along the last dimensions; a product when one has no dimensions."""
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise refusal.runtime(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return tensordot(input, other, dims=([-1], [-1]))


@public(method=False, exact_out=True, autocast="lower")
def tensordot(a: Tensor, b: Tensor, dims: Ints | Sequence[Sequence[int]] | Tensor = 2) -> Tensor:
    """Sum the products of a and b over pairs of dimensions."""
    first, second = _dims_of(dims, a, b)
    if len(first) != len(second):
        raise refusal.runtime(
            f"both dimension lists should have same length, got {first} and {second}"
        )
    size = 1
    for i, j in zip(first, second, strict=True):
        n, m = a.shape[i], b.shape[j]
        if n == m:
            size *= n
        elif n != 1 and m != 1:
            raise refusal.runtime(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and "
                f"second has size {m} in dim {j}"
            )
        elif n == 1:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        else:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
    first = [axis_of(d, a.ndim) for d in first]
    second = [axis_of(d, b.ndim) for d in second]
    free_a = [d for d in range(a.ndim) if d not in first]
    free_b = [d for d in range(b.ndim) if d not in second]
    shape = [a.shape[d] for d in free_a] + [b.shape[d] for d in free_b]
    left = a.permute(*free_a, *first).reshape(-1 if size else _count(a, free_a), size)
    right = b.permute(*second, *free_b).reshape(size, -1 if size else _count(b, free_b))
    return mm(left, right).reshape(shape)


def _count(x: Any, dims: Sequence[int]) -> int:
    return math.prod(x.shape[d] for d in dims)


def _dims_of(dims: Any, a: Any, b: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, TensorBase):
        dims = dims.item() if dims.numel() == 1 else dims.tolist()  # type: ignore[attr-defined]
    if isinstance(dims, int):
        if dims < 0:
            raise refusal.runtime(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise refusal.runtime(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(-dims, 0)), list(range(dims))
    first, second = dims
    if isinstance(first, int):
        return [first], [second]
    return [int(d) for d in first], [int(d) for d in second]


@public()
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: every element of input times the whole of other."""
    n = max(input.ndim, other.ndim)
    a = (1,) * (n - input.ndim) + tuple(input.shape)
    b = (1,) * (n - other.ndim) + tuple(other.shape)
    left = input.reshape([x for pair in zip(a, (1,) * n, strict=True) for x in pair])
    right = other.reshape([x for pair in zip((1,) * n, b, strict=True) for x in pair])
    shape = tuple(x * y for x, y in zip(a, b, strict=True))
    return P.unsafe_view(left * right, shape=shape)


@public(namespace="linalg", exact_out=True, autocast="lower")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The sum of conj(x) * y along one dimension; the others broadcast."""
    if x.dtype is not y.dtype:
        raise refusal.runtime(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of {x.dtype!r} "
            f"and y of {y.dtype!r}",
            fix="convert one with .to(dtype).",
        )
    return (x.conj() * y if x.is_complex() else x * y).sum(dim)
