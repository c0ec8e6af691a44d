"""nn.functional: attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.state import STATE
from ...autograd.value import PLAIN, make
from ...ops import dtypes
from ...ops.schema import TABLE
from ..api import public
from .common import P
from .nn_common import named, stand_in

if TYPE_CHECKING:
    from ..annotations import Tensor

# The backends of PyTorch that may be used; `nn.attention.sdpa_kernel` changes it.
VIABLE = {"MATH", "FLASH_ATTENTION"}
_OURS = frozenset(VIABLE)


@public(namespace="nn.functional", out=False, autocast="lower")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query key^T * scale + mask) value; True in a bool mask means "take part"."""
    if attn_mask is None and not dropout_p and not enable_gqa and _unrecorded(query, key, value):
        factor = 1 / math.sqrt(query._a.shape[-1]) if scale is None else float(scale)
        forward, causal = TABLE["attention"].forward, bool(is_causal)
        found = forward(query._a, key._a, value._a, None, scale=factor, causal=causal, masked="")
        return make(found[0], inference=STATE.w == 2)
    if attn_mask is not None and hasattr(attn_mask, "variant"):  # nn.attention.bias
        attn_mask, is_causal = _from_causal_bias(attn_mask, is_causal)
    if attn_mask is not None or enable_gqa or not _fit(query, key, value):
        _check(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        key, value = _repeat_heads(query, key), _repeat_heads(query, value)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
    q, k, v = query, key, value
    if not _fit(q, k, v):
        lead = _common_lead(query, key, value)
        q, k, v = (_with_lead(t, lead) for t in (query, key, value))
    if attn_mask is not None:
        _check_mask(attn_mask, (*q.shape[:-1], k.shape[-2]))
    if dropout_p > 0.0:
        return _with_dropout(q, k, v, _additive(attn_mask, q), dropout_p, is_causal, factor)
    if q.dtype.category != dtypes.FLOAT:
        return _weights(q, k, _additive(attn_mask, q), is_causal, factor).matmul(v)
    if attn_mask is None:
        bias, masked = stand_in(q), ""
    elif attn_mask.dtype is dtypes.bool_:
        bias, masked = attn_mask, "bool"
    else:
        bias, masked = _additive(attn_mask, q), "add"
    out = P.attention(q, k, v, bias, scale=factor, causal=bool(is_causal), masked=masked)[0]
    fused = q.ndim == 4 and not (masked and bias.requires_grad)
    return out if fused else named(out, "UnsafeViewBackward0" if q.ndim > 2 else "MmBackward0")


def _from_causal_bias(bias: Any, is_causal: bool) -> tuple[Any, bool]:
    """(mask, causal) of a causal bias."""
    if is_causal:
        raise refusal.value("CausalBias should not be used with causal=True")
    return (bias._materialize(), False) if bias.diagonal else (None, True)


def _fit(query: Any, key: Any, value: Any) -> bool:
    """Whether these are plain tensors of the usual types and shapes: there is nothing to check."""
    if not (query.__class__ in PLAIN and key.__class__ in PLAIN and value.__class__ in PLAIN):
        return False
    q, k, v = query._a, key._a, value._a
    return bool(
        not VIABLE.isdisjoint(_OURS)
        and q.dtype is k.dtype is v.dtype
        and (q.dtype is dtypes.F32 or q.dtype is dtypes.F64)
        and q.ndim > 1
        and k.shape[:-1] == v.shape[:-1]
        and q.shape[:-2] == k.shape[:-2]
        and q.shape[-1] == k.shape[-1]
    )


def _unrecorded(*tensors: Any) -> bool:
    """Whether nobody records or listens, and there is nothing to check: the result is all."""
    w = STATE.w
    if w > 2 or (w == 0 and any([t._rg for t in tensors])):
        return False
    return _fit(*tensors)


def _check(q: Any, k: Any, v: Any, mask: Any, is_causal: bool) -> None:
    if VIABLE.isdisjoint(_OURS):
        raise refusal.runtime(
            "No viable backend for scaled_dot_product_attention was found: "
            f"{', '.join(sorted(VIABLE)) or 'none'} allowed, which a CPU does not have",
            fix="allow SDPBackend.MATH or FLASH_ATTENTION as well.",
        )
    if q.dtype is not k.dtype or q.dtype is not v.dtype:
        raise refusal.runtime(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{q.dtype!r} key.dtype: {k.dtype!r} and value.dtype: {v.dtype!r} instead."
        )
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise refusal.runtime(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{q.ndim} key.dim: {k.ndim} and value.dim: {v.ndim} instead."
        )
    # PyTorch's fused kernel (four dimensions, one head size) combines both masks.
    if mask is not None and is_causal and (q.ndim != 4 or q.shape[-1] != v.shape[-1]):
        raise refusal.runtime(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True",
            fix="give one of them.",
        )
    if mask is not None and mask.dtype not in (dtypes.bool_, dtypes.float32, q.dtype):
        raise refusal.runtime(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {mask.dtype!r} and  query.dtype: {q.dtype!r} instead."
        )
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise refusal.runtime(
            "Expected size for first two dimensions of batch2 tensor to be consistent: query "
            f"{list(q.shape)} and key {list(k.shape)} share the last dimension, key and value "
            f"{list(v.shape)} the one before"
        )


def _repeat_heads(q: Any, t: Any) -> Any:
    """Key or value heads repeated so that there are as many as query heads."""
    if t.ndim < 3 or q.ndim < 3 or q.shape[-3] % t.shape[-3]:
        raise refusal.runtime(
            "Number of heads in key and value must divide the number of heads in query: query "
            f"{list(q.shape)}, key or value {list(t.shape)}"
        )
    return t.repeat_interleave(q.shape[-3] // t.shape[-3], -3)


def _common_lead(*tensors: Any) -> tuple[int, ...]:
    leads = [tuple(t.shape[:-2]) for t in tensors]
    if leads[0] == leads[1] == leads[2]:
        return leads[0]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        raise refusal.runtime(
            "The size of tensor a must match the size of tensor b: the batch dimensions "
            f"{[list(s) for s in leads]} of query, key and value do not broadcast",
            fix="enable_gqa=True if there are fewer key heads.",
        ) from None


def _with_lead(t: Any, lead: tuple[int, ...]) -> Any:
    return t if tuple(t.shape[:-2]) == lead else t.expand(*lead, *t.shape[-2:])


def _check_mask(bias: Any, shape: tuple[int, ...]) -> None:
    own = tuple(bias.shape)
    pairs = list(zip(own[::-1], shape[::-1], strict=False))
    if len(own) > len(shape) or any(a not in (1, b) for a, b in pairs):
        raise refusal.runtime(
            f"The size of tensor a ({shape[-1]}) must match the size of tensor b "
            f"({own[-1] if own else 1}): the mask {list(own)} does not broadcast to the scores "
            f"{list(shape)}"
        )


def _additive(mask: Any, q: Any) -> Any:
    """A mask as something added to the scores."""
    if mask is None:
        return None
    if mask.dtype is dtypes.bool_:
        nothing, hidden = (make(np.asarray(x, q.dtype.np)) for x in (0.0, -np.inf))
        return P.where(mask, nothing, hidden)
    return mask if mask.dtype is q.dtype else mask.to(q.dtype)


def _weights(q: Any, k: Any, bias: Any, causal: bool, factor: float) -> Any:
    """The attention weights as a tensor of their own."""
    scores = (q * factor).matmul(k.mT)
    if bias is not None:
        scores = scores + bias
    if causal:
        scores = P.causal_fill(scores)
    dead = (scores == -math.inf).all(-1, keepdim=True)
    return P.where(dead, 0.0, P.softmax(P.where(dead, 0.0, scores), axis=scores.ndim - 1))


def _with_dropout(
    q: Any, k: Any, v: Any, bias: Any, dropout_p: float, causal: bool, factor: float
) -> Any:
    from .random_functions import dropout

    weights = dropout(_weights(q, k, bias, causal, factor), dropout_p, True)
    return weights.matmul(v)
