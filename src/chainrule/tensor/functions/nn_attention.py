"""nn.functional: attention."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...autograd import source
from ...autograd.value import make
from ...ops import dtypes
from ..api import public
from .common import P
from .nn_common import named, stand_in


@public(namespace="nn.functional", out=False)
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(query key^T * scale + mask) value; True in a bool mask means "take part"."""
    _check(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        key, value = _repeat_heads(query, key), _repeat_heads(query, value)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
    lead = _common_lead(query, key, value)
    q, k, v = (_with_lead(t, lead) for t in (query, key, value))
    if attn_mask is not None:
        _check_mask(attn_mask, (*lead, q.shape[-2], k.shape[-2]))
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


def _check(q: Any, k: Any, v: Any, mask: Any, is_causal: bool) -> None:
    if q.dtype is not k.dtype or q.dtype is not v.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{q.dtype!r} key.dtype: {k.dtype!r} and value.dtype: {v.dtype!r} instead.\n"
            f"  at {source.here(2)}"
        )
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{q.ndim} key.dim: {k.ndim} and value.dim: {v.ndim} instead.\n  at {source.here(2)}"
        )
    # PyTorch's fused kernel (four dimensions, one head size) combines both masks.
    if mask is not None and is_causal and (q.ndim != 4 or q.shape[-1] != v.shape[-1]):
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            f"is_causal=True\n  at {source.here(2)}\n  Fix: give one of them."
        )
    if mask is not None and mask.dtype not in (dtypes.bool_, dtypes.float32, q.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {mask.dtype!r} and  query.dtype: {q.dtype!r} instead.\n"
            f"  at {source.here(2)}"
        )
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be consistent: query "
            f"{list(q.shape)} and key {list(k.shape)} share the last dimension, key and value "
            f"{list(v.shape)} the one before\n  at {source.here(2)}"
        )


def _repeat_heads(q: Any, t: Any) -> Any:
    """Key or value heads repeated so that there are as many as query heads."""
    if t.ndim < 3 or q.ndim < 3 or q.shape[-3] % t.shape[-3]:
        raise RuntimeError(
            "Number of heads in key and value must divide the number of heads in query: "
            f"query {list(q.shape)}, key or value {list(t.shape)}\n  at {source.here(2)}"
        )
    return t.repeat_interleave(q.shape[-3] // t.shape[-3], -3)


def _common_lead(*tensors: Any) -> tuple[int, ...]:
    leads = [tuple(t.shape[:-2]) for t in tensors]
    if leads[0] == leads[1] == leads[2]:
        return leads[0]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        raise RuntimeError(
            "The size of tensor a must match the size of tensor b: the batch dimensions "
            f"{[list(s) for s in leads]} of query, key and value do not broadcast\n"
            f"  at {source.here(2)}\n  Fix: enable_gqa=True if there are fewer key heads."
        ) from None


def _with_lead(t: Any, lead: tuple[int, ...]) -> Any:
    return t if tuple(t.shape[:-2]) == lead else t.expand(*lead, *t.shape[-2:])


def _check_mask(bias: Any, shape: tuple[int, ...]) -> None:
    own = tuple(bias.shape)
    pairs = list(zip(own[::-1], shape[::-1], strict=False))
    if len(own) > len(shape) or any(a not in (1, b) for a, b in pairs):
        raise RuntimeError(
            f"The size of tensor a ({shape[-1]}) must match the size of tensor b "
            f"({own[-1] if own else 1}): the mask {list(own)} does not broadcast to the scores "
            f"{list(shape)}\n  at {source.here(2)}"
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


# ---- several heads -------------------------------------------------------------------------------


def _float_mask(mask: Any, like: Any, name: str) -> Any:
    """A mask in which True means "leave out", as an additive one."""
    if mask is None:
        return None
    if mask.dtype is dtypes.bool_:
        hidden, nothing = (make(np.asarray(x, like.dtype.np)) for x in (-np.inf, 0.0))
        return P.where(mask, hidden, nothing)
    if not mask.is_floating_point():
        raise AssertionError(
            f"only bool and floating types of {name} are supported, got {mask.dtype!r}\n"
            f"  at {source.here(2)}"
        )
    return mask


def _projected(q: Any, k: Any, v: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """Query, key and value through one packed weight (3E, E)."""
    from .nn_linear import linear

    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    e = q.shape[-1]
    if q is k and k is v:
        return tuple(linear(q, weight, bias).chunk(3, -1))  # type: ignore[return-value]
    w = weight.split(e, 0)
    b = (None, None, None) if bias is None else bias.split(e, 0)
    return linear(q, w[0], b[0]), linear(k, w[1], b[1]), linear(v, w[2], b[2])


def _one_more_key(mask: Any) -> Any:
    """A mask for one key more, which everybody may see."""
    from .nn_vision import pad

    return None if mask is None else pad(mask, (0, 1))


class _Heads:
    """The steps between projection and output, for (sequence, batch, features) tensors."""

    def __init__(self, heads: int, batch: int, width: int) -> None:
        self.heads, self.batch, self.width = heads, batch, width

    def split(self, t: Any) -> Any:
        """(S, N, E) as (N * heads, S, width)."""
        return t.reshape(t.shape[0], self.batch * self.heads, self.width).transpose(0, 1)

    def check_static(self, t: Any, name: str) -> Any:
        want = (self.batch * self.heads, self.width)
        if (t.shape[0], t.shape[2]) != want:
            raise AssertionError(
                f"expecting {name}.size(0) of {want[0]} and {name}.size(2) of {want[1]}, but got "
                f"{list(t.shape)}\n  at {source.here(2)}"
            )
        return t

    def merged_mask(self, attn_mask: Any, padding: Any) -> Any:
        """Both masks as one that is added to (N * heads, L, S) scores."""
        if padding is None:
            return attn_mask
        n, s = padding.shape
        spread = padding.reshape(n, 1, 1, s).expand(-1, self.heads, -1, -1)
        spread = spread.reshape(n * self.heads, 1, s)
        return spread if attn_mask is None else attn_mask + spread


@public(namespace="nn.functional", out=False)
def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """Attention of several heads between projections: (output, weights or None)."""
    single = query.ndim == 2
    _check_ranks(query, key, value, key_padding_mask, attn_mask)
    if single:
        query, key, value = (t.unsqueeze(1) for t in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, embed = query.shape
    _check_heads(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    heads = _Heads(num_heads, batch, embed // num_heads)
    is_causal = _usable_hint(is_causal, attn_mask, key_padding_mask, need_weights)
    masks = _masks(attn_mask, key_padding_mask, is_causal, query, key, num_heads)
    if use_separate_proj_weight:
        separate = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _separately_projected(query, key, value, separate, in_proj_bias)
    else:
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    k, v, masks = _with_bias_key(k, v, masks, bias_k, bias_v, static_k, static_v)
    q = heads.split(q)
    k = heads.split(k) if static_k is None else heads.check_static(static_k, "static_k")
    v = heads.split(v) if static_v is None else heads.check_static(static_v, "static_v")
    if add_zero_attn:
        zeros = make(np.zeros((batch * num_heads, 1, heads.width), q.dtype.np))
        k, v = P.cat(k, zeros, axis=1), P.cat(v, zeros, axis=1)
        masks = tuple(map(_one_more_key, masks))
    p = dropout_p if training else 0.0
    mask = heads.merged_mask(*masks)
    out, weights = _attend(heads, q, k, v, mask, p, is_causal, need_weights)
    return _joined(
        heads, out, weights, length, out_proj_weight, out_proj_bias, average_attn_weights, single
    )


def _check_ranks(q: Any, k: Any, v: Any, padding: Any, mask: Any) -> None:
    """Refuse inputs of which some have a batch and some have none."""
    if q.ndim not in (2, 3):
        raise AssertionError(
            "query should be unbatched 2D or batched 3D tensor but received "
            f"{q.ndim}-D query tensor\n  at {source.here(3)}"
        )
    kind = "batched (3-D)" if q.ndim == 3 else "unbatched (2-D)"
    if k.ndim != q.ndim or v.ndim != q.ndim:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {q.ndim}-D but found "
            f"{k.ndim}-D and {v.ndim}-D tensors respectively\n  at {source.here(3)}"
        )
    if padding is not None and padding.ndim != q.ndim - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {q.ndim - 1}-D but "
            f"found {padding.ndim}-D tensor instead\n  at {source.here(3)}"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{mask.ndim}-D tensor instead\n  at {source.here(3)}"
        )


def _masks(
    attn_mask: Any, padding: Any, is_causal: bool, query: Any, key: Any, num_heads: int
) -> tuple[Any, Any]:
    """(mask of the scores, mask of the keys), as masks that are added."""
    length, batch, _ = query.shape
    if padding is not None:
        if tuple(padding.shape) != (batch, key.shape[0]):
            k = 0 if padding.shape[0] != batch else 1
            raise AssertionError(
                f"Expected key_padded_mask.shape[{k}] to be {(batch, key.shape[0])[k]}, but got "
                f"{padding.shape[k]}\n  at {source.here(3)}"
            )
        if attn_mask is not None and attn_mask.dtype is not padding.dtype:
            warnings.warn(
                "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same "
                "type for both instead.",
                stacklevel=4,
            )
    added = None
    if not is_causal:
        added = _float_mask(attn_mask, query, "attn_mask")
        added = _mask_per_head(added, batch * num_heads, length, key.shape[0])
    return added, _float_mask(padding, query, "key_padding_mask")


def _usable_hint(is_causal: bool, attn_mask: Any, padding: Any, need_weights: bool) -> bool:
    """Whether the causal hint alone replaces the mask."""
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            f"method `generate_square_subsequent_mask` to create this mask.\n  at {source.here(2)}"
        )
    return is_causal and padding is None and not need_weights


def _with_bias_key(
    k: Any, v: Any, masks: Any, bias_k: Any, bias_v: Any, static_k: Any, static_v: Any
) -> tuple[Any, Any, Any]:
    """Keys and values with the learned extra ones, and masks that let everybody see them."""
    if bias_k is None and bias_v is None:
        return k, v, masks
    if bias_k is None or bias_v is None:
        raise AssertionError("bias_k and bias_v are given together or not at all")
    if static_k is not None or static_v is not None:
        raise AssertionError("bias cannot be added to static key.")
    batch = k.shape[1]
    k = P.cat(k, bias_k.repeat(1, batch, 1), axis=0)
    v = P.cat(v, bias_v.repeat(1, batch, 1), axis=0)
    return k, v, tuple(map(_one_more_key, masks))


def _check_heads(q: Any, k: Any, v: Any, embed: int, heads: int, separate: bool) -> None:
    if q.shape[-1] != embed:
        raise AssertionError(
            f"was expecting embedding dimension of {embed}, but got {q.shape[-1]}\n"
            f"  at {source.here(2)}"
        )
    if q.shape[-1] % heads:
        raise AssertionError(
            f"embed_dim {q.shape[-1]} not divisible by num_heads {heads}\n  at {source.here(2)}"
        )
    if separate and k.shape[:2] != v.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {list(k.shape[:2])} do not match value's "
            f"{list(v.shape[:2])}\n  at {source.here(2)}"
        )
    if not separate and k.shape != v.shape:
        raise AssertionError(
            f"key shape {list(k.shape)} does not match value shape {list(v.shape)}\n"
            f"  at {source.here(2)}"
        )


def _mask_per_head(mask: Any, pairs: int, length: int, keys: int) -> Any:
    """A 2-D mask for everybody, or one per (batch, head)."""
    if mask is None:
        return None
    wanted = (length, keys) if mask.ndim == 2 else (pairs, length, keys)
    if mask.ndim not in (2, 3):
        raise RuntimeError(
            f"attn_mask's dimension {mask.ndim} is not supported\n  at {source.here(2)}"
        )
    if tuple(mask.shape) != wanted:
        raise RuntimeError(
            f"The shape of the {mask.ndim}D attn_mask is {list(mask.shape)}, but should be "
            f"{list(wanted)}.\n  at {source.here(2)}"
        )
    return mask


def _separately_projected(q: Any, k: Any, v: Any, weights: Any, bias: Any) -> list[Any]:
    from .nn_linear import linear

    for name, w in zip("qkv", weights, strict=True):
        if w is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [linear(t, w, b) for t, w, b in zip((q, k, v), weights, biases, strict=True)]


def _attend(
    heads: _Heads, q: Any, k: Any, v: Any, mask: Any, p: float, causal: bool, need_weights: bool
) -> tuple[Any, Any]:
    """((N * heads, L, width), weights or None)."""
    if not need_weights:
        four = (heads.batch, heads.heads)
        q4, k4, v4 = (t.reshape(*four, *t.shape[1:]) for t in (q, k, v))
        if mask is not None and mask.ndim == 3:
            mask = mask.reshape(*four, *mask.shape[1:])
        out = scaled_dot_product_attention(q4, k4, v4, mask, p, causal)
        return out.reshape(-1, *out.shape[2:]), None
    scores = (q * (1 / math.sqrt(heads.width))).matmul(k.transpose(1, 2))
    if mask is not None:
        scores = scores + mask
    weights = P.softmax(scores, axis=2)
    if p > 0.0:
        from .random_functions import dropout

        weights = dropout(weights, p, True)
    return weights.matmul(v), weights


def _joined(
    heads: _Heads, out: Any, weights: Any, length: int, w: Any, b: Any, average: bool, single: bool
) -> tuple[Any, Any]:
    """The heads side by side, projected: (output, weights)."""
    from .nn_linear import linear

    rows = out.transpose(0, 1).reshape(length * heads.batch, heads.heads * heads.width)
    result = linear(rows, w, b).view(length, heads.batch, w.shape[0])
    if weights is not None:
        weights = weights.view(heads.batch, heads.heads, length, -1)
        weights = weights.mean(1) if average else weights
    if single:
        result = result.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return result, weights
