"""nn.functional: attention of several heads between projections."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal, source
from ...autograd.value import make
from ...ops import dtypes
from ..api import public
from .common import P
from .nn_attention import scaled_dot_product_attention

if TYPE_CHECKING:
    from ..annotations import Tensor


def _float_mask(mask: Any, like: Any, name: str) -> Any:
    """A mask in which True means "leave out", as an additive one."""
    if mask is None:
        return None
    if mask.dtype is dtypes.bool_:
        hidden, nothing = (make(np.asarray(x, like.dtype.np)) for x in (-np.inf, 0.0))
        return P.where(mask, hidden, nothing)
    if not mask.is_floating_point():
        raise refusal.assertion(
            f"only bool and floating types of {name} are supported, got {mask.dtype!r}"
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
            raise refusal.assertion(
                f"expecting {name}.size(0) of {want[0]} and {name}.size(2) of {want[1]}, but got "
                f"{list(t.shape)}"
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
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
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


def self_attention(
    x: Any, num_heads: int, weights: tuple[Any, Any, Any, Any], dropout_p: float, masks: Any,
    is_causal: bool, batch_first: bool,
) -> Any:  # fmt: skip
    """multi_head_attention_forward of a sequence to itself, without weights, in fewer steps.

    `weights` are those of both projections with their biases, `masks` (attn_mask, padding); with
    `batch_first` x is (N, L, E), and no dimension has to be moved for it.
    """
    from .nn_linear import linear

    first, second, embed = x.shape
    batch = first if batch_first else second
    w_in, b_in, w_out, b_out = weights
    _check_heads(x, x, x, w_in.shape[1], num_heads, False)
    like = x if not batch_first else x.transpose(0, 1)
    is_causal = _usable_hint(is_causal, masks[0], masks[1], False)
    added = _masks(masks[0], masks[1], is_causal, like, like, num_heads)
    mask = _Heads(num_heads, batch, embed // num_heads).merged_mask(*added)
    if mask is not None and mask.ndim == 3:
        mask = mask.reshape(batch, num_heads, *mask.shape[1:])
    rows = P.reshape(x, shape=(first * second, embed))
    split = (first, second, 3, num_heads, embed // num_heads)
    qkv = P.reshape(linear(rows, w_in, b_in), shape=split)
    there, back = (
        ((2, 0, 3, 1, 4), (0, 2, 1, 3)) if batch_first else ((2, 1, 3, 0, 4), (2, 0, 1, 3))
    )
    q, k, v = P.unbind(P.transpose(qkv, perm=there), axis=0)
    out = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    if batch_first and dropout_p > 0:
        # In memory the sequence comes first, as in PyTorch: a dropout that follows draws in the
        # order of the memory.
        rows = P.reshape(P.transpose(out, perm=(2, 0, 1, 3)), shape=(first * second, embed))
        out = P.reshape(linear(rows, w_out, b_out), shape=(second, first, embed))
        return P.transpose(out, perm=(1, 0, 2))
    rows = P.reshape(P.transpose(out, perm=back), shape=(first * second, embed))
    return P.reshape(linear(rows, w_out, b_out), shape=(first, second, embed))


def _check_ranks(q: Any, k: Any, v: Any, padding: Any, mask: Any) -> None:
    """Refuse inputs of which some have a batch and some have none."""
    if q.ndim not in (2, 3):
        raise refusal.assertion(
            f"query should be unbatched 2D or batched 3D tensor but received {q.ndim}-D query "
            "tensor"
        )
    kind = "batched (3-D)" if q.ndim == 3 else "unbatched (2-D)"
    if k.ndim != q.ndim or v.ndim != q.ndim:
        raise refusal.assertion(
            f"For {kind} `query`, expected `key` and `value` to be {q.ndim}-D but found {k.ndim}-D "
            f"and {v.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != q.ndim - 1:
        raise refusal.assertion(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {q.ndim - 1}-D but "
            f"found {padding.ndim}-D tensor instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise refusal.assertion(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{mask.ndim}-D tensor instead"
        )


def _masks(
    attn_mask: Any, padding: Any, is_causal: bool, query: Any, key: Any, num_heads: int
) -> tuple[Any, Any]:
    """(mask of the scores, mask of the keys), as masks that are added."""
    length, batch, _ = query.shape
    if padding is not None:
        if tuple(padding.shape) != (batch, key.shape[0]):
            k = 0 if padding.shape[0] != batch else 1
            raise refusal.assertion(
                f"Expected key_padded_mask.shape[{k}] to be {(batch, key.shape[0])[k]}, but got "
                f"{padding.shape[k]}"
            )
        if attn_mask is not None and attn_mask.dtype is not padding.dtype:
            source.warn_user(
                "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same "
                "type for both instead.",
            )
    added = None
    if not is_causal:
        added = _float_mask(attn_mask, query, "attn_mask")
        added = _mask_per_head(added, batch * num_heads, length, key.shape[0])
    return added, _float_mask(padding, query, "key_padding_mask")


def _usable_hint(is_causal: bool, attn_mask: Any, padding: Any, need_weights: bool) -> bool:
    """Whether the causal hint alone replaces the mask."""
    if is_causal and attn_mask is None:
        raise refusal.runtime(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
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
        raise refusal.assertion(
            f"was expecting embedding dimension of {embed}, but got {q.shape[-1]}"
        )
    if q.shape[-1] % heads:
        raise refusal.assertion(f"embed_dim {q.shape[-1]} not divisible by num_heads {heads}")
    if separate and k.shape[:2] != v.shape[:2]:
        raise refusal.assertion(
            f"key's sequence and batch dims {list(k.shape[:2])} do not match value's "
            f"{list(v.shape[:2])}"
        )
    if not separate and k.shape != v.shape:
        raise refusal.assertion(
            f"key shape {list(k.shape)} does not match value shape {list(v.shape)}"
        )


def _mask_per_head(mask: Any, pairs: int, length: int, keys: int) -> Any:
    """A 2-D mask for everybody, or one per (batch, head)."""
    if mask is None:
        return None
    wanted = (length, keys) if mask.ndim == 2 else (pairs, length, keys)
    if mask.ndim not in (2, 3):
        raise refusal.runtime(f"attn_mask's dimension {mask.ndim} is not supported")
    if tuple(mask.shape) != wanted:
        raise refusal.runtime(
            f"The shape of the {mask.ndim}D attn_mask is {list(mask.shape)}, but should be "
            f"{list(wanted)}."
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
        return out.flatten(0, 1), None
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
        weights = weights.view(heads.batch, heads.heads, length, weights.shape[-1])
        weights = weights.mean(1) if average else weights
    if single:
        result = result.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return result, weights
