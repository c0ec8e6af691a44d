"""Products, norms over features, embeddings and attention of nested tensors."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from .handlers import handles
from .tensor import NestedTensor, from_components


@handles("linear")
def linear(func: Any, nt: NestedTensor, weight: Any, bias: Any = None) -> NestedTensor:
    """A product with the last dimension."""
    _need_dense_end(nt, 1, "linear")
    return nt._like(func(nt._values, weight, bias))


@handles("layer_norm", "rms_norm")
def layer_norm(func: Any, nt: NestedTensor, normalized_shape: Any, *args: Any, **options: Any):
    """Over the last dimensions."""
    _need_dense_end(nt, len(tuple(normalized_shape)), func.__name__)
    return nt._like(func(nt._values, normalized_shape, *args, **options))


@handles("embedding")
def embedding(func: Any, nt: NestedTensor, weight: Any, *args: Any, **options: Any) -> Any:
    """A row for each number."""
    return nt._like(func(nt._values, weight, *args, **options))


def _need_dense_end(nt: NestedTensor, count: int, name: str) -> None:
    if nt._ragged_idx >= nt.ndim - count:
        raise refusal.runtime(
            f"{name}(): not supported for NestedTensor on the ragged dimension",
            f"shape {tuple(nt.shape)}",
        )


@handles("matmul", "__matmul__", "__rmatmul__", "bmm")
def matmul(func: Any, a: Any, b: Any) -> Any:
    """Products of nested tensors with matrices, with batches of them, and with each other."""
    if isinstance(a, NestedTensor) and isinstance(b, NestedTensor):
        return _of_two(a, b)
    if isinstance(b, NestedTensor):
        if a.ndim <= 2 and b._ragged_idx != b.ndim - 2:
            return b._like(torch.matmul(a, b._values))
        return _by_component(a, b)
    if b.ndim <= 2 and a._ragged_idx != a.ndim - 1:
        return a._like(torch.matmul(a._values, b))
    return _by_component(a, b)


def _by_component(a: Any, b: Any) -> Any:
    """A nested tensor and a batch of matrices, one for each component."""
    like = a if isinstance(a, NestedTensor) else b
    other = b if like is a else a
    inner = like.ndim - 1 if like is a else like.ndim - 2
    if like._ragged_idx == inner or other.ndim < 3 or other.shape[0] != len(like):
        raise _no_product(a, b)
    pairs = zip(_parts(a), _parts(b), strict=True)
    return from_components([torch.matmul(x, y) for x, y in pairs], like)


def _of_two(a: NestedTensor, b: NestedTensor) -> Any:
    if len(a) != len(b) or a._ragged_length != b._ragged_length:
        raise _no_product(a, b)
    pairs = list(zip(a._components(), b._components(), strict=True))
    summed = a._ragged_idx == a.ndim - 1 and b._ragged_idx == b.ndim - 2
    in_batch = a._ragged_idx == b._ragged_idx < min(a.ndim, b.ndim) - 2
    if summed:
        return torch.stack([torch.matmul(x, y) for x, y in pairs])
    if in_batch and a.ndim == b.ndim:
        return from_components([torch.matmul(x, y) for x, y in pairs], a)
    raise _no_product(a, b)


def _parts(t: Any) -> tuple[Any, ...]:
    return t._components() if isinstance(t, NestedTensor) else t.unbind(0)


def _no_product(a: Any, b: Any) -> RuntimeError:
    return refusal.runtime(
        f"matmul(): not supported between inputs of shapes {tuple(a.shape)} and {tuple(b.shape)}",
        why="The result would be ragged in two dimensions, or the inner lengths do not fit.",
        fix="[x @ y for x, y in zip(a.unbind(), b.unbind())].",
    )


@handles("scaled_dot_product_attention")
def attention(
    func: Any, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> NestedTensor:  # fmt: skip
    """Attention inside each component."""
    if not all(isinstance(t, NestedTensor) for t in (query, key, value)):
        raise refusal.value(
            "scaled_dot_product_attention: query, key and value are nested tensors, or none of "
            "them is"
        )
    if attn_mask is not None:
        raise refusal.value(
            "scaled_dot_product_attention: attn_mask must be None for nested tensors",
            why="Components never see each other; is_causal=True hides what comes later.",
        )
    parts = zip(query._components(), key._components(), value._components(), strict=True)
    found = [
        func(q, k, v, None, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
        for q, k, v in parts
    ]
    return from_components(found, query)
