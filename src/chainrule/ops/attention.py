"""Attention: softmax(q k^T scale + mask) v as one op that keeps no scores.

Besides the result it returns the logarithm of each query's sum, from which the backward pass makes
the scores again, and where all of them are few, the weights (see `attention_arrays`). A query from
which everything is hidden gives zeros. The mask is added, or, where it is of type bool, says which
keys take part.
"""

from __future__ import annotations

import numpy as np

from . import flops
from .batching import Front, Plain
from .halves import is_half
from .later import Later
from .schema import helper, op

arrays = Later(".attention_arrays", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

# ---- in ops --------------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g: tril(g, k=0)},
    jvp="same",
    batch=Front(),
)
def causal_fill(x):
    """x with minus infinity above the diagonal of its last two dimensions."""
    later = np.arange(x.shape[-1]) > np.arange(x.shape[-2])[:, None]
    return np.where(later, np.asarray(-np.inf, x.dtype), x)


@helper
def attention_weights(q, k, mask, scale, causal, masked):
    """softmax(q k^T scale + mask), zeros where a whole row is masked."""
    s = matmul(q, mT(k)) * scale
    if masked == "bool":
        s = where(mask, s, -float("inf"))
    elif masked:
        s = s + mask
    if causal:
        s = causal_fill(s)
    last = (len(s.shape) - 1,)
    dead = reduce_max(s, axis=last, keepdims=True) == -float("inf")
    return where(dead, 0.0, softmax(where(dead, 0.0, s), axis=last[0]))


@helper
def attention_in_ops(q, k, v, mask, scale, causal, masked):
    """Attention in ops; nothing is kept."""
    nothing = reshape(slice_axis(q, axis=len(q.shape) - 1, start=0, stop=0, step=1), shape=(0,))
    return matmul(attention_weights(q, k, mask, scale, causal, masked), v), nothing, nothing


@helper
def attention_gradients_in_ops(g, wants, q, k, v, mask, scale, causal, masked):
    """attention_gradients, written in ops."""
    p = attention_weights(q, k, mask, scale, causal, masked)
    gv = matmul(mT(p), g)
    s = matmul(g, mT(v))
    last = (len(s.shape) - 1,)
    s = p * (s - reduce_sum(s * p, axis=last, keepdims=True))
    gm = unbroadcast(s, tuple(mask.shape)) if wants[3] else None
    return matmul(s, k) * scale, matmul(mT(s), q) * scale, gv, gm


@helper
def attention_tangent(ts, q, k, v, mask, scale, causal, masked):
    """The tangent of attention for a tangent of its scores."""
    p = attention_weights(q, k, mask, scale, causal, masked)
    last = (len(p.shape) - 1,)
    return matmul(p * (ts - reduce_sum(p * ts, axis=last, keepdims=True)), v)


def _array_rule(arrays):
    """The rule on arrays; the functions come through a closure, as they speak NumPy."""

    def joint(g, mask, q, k, v, bias, out0, out1, out2, scale, causal, masked):
        if out0 is None:  # overwritten
            out0 = arrays.attention_arrays(q, k, v, bias, scale, causal, masked)[0]
        return arrays.attention_gradients(
            g[0], mask, q, k, v, bias, out0, out1, out2, scale, causal, masked
        )

    return joint


def _types(q, k, v, bias, *, masked, **rest):
    inner = np.dtype(np.float32) if is_half(q.dtype) else q.dtype
    lead, rows, columns = q.shape[:-2], q.shape[-2], k.shape[-2]
    kept = (
        (*lead, columns, rows) if arrays.keeps_weights(lead, rows, columns, q.shape[-1]) else (0,)
    )
    return [((*lead, rows, v.shape[-1]), q.dtype), ((*lead, rows, 1), inner), (kept, inner)]


@op(
    joint=_array_rule(arrays),
    plain_joint=lambda g, mask, q, k, v, bias, scale, causal, masked: attention_gradients_in_ops(
        g[0], mask, q, k, v, bias, scale, causal, masked
    ),
    jvp={
        "q": lambda t, q, k, v, bias, scale, causal, masked: (attention_tangent(
            matmul(t, mT(k)) * scale, q, k, v, bias, scale, causal, masked), None, None),
        "k": lambda t, q, k, v, bias, scale, causal, masked: (attention_tangent(
            matmul(q, mT(t)) * scale, q, k, v, bias, scale, causal, masked), None, None),
        "v": lambda t, q, k, bias, scale, causal, masked: (matmul(
            attention_weights(q, k, bias, scale, causal, masked), t), None, None),
        "bias": lambda t, q, k, v, bias, scale, causal, masked: (attention_tangent(
            t, q, k, v, bias, scale, causal, masked), None, None),
    },
    n_out=3, nondiff_out=(1, 2), materialise=False, overwritable=("out0",),
    batch=Plain(lambda q, k, v, bias, *, scale, causal, masked: attention_in_ops(
        q, k, v, bias, scale, causal, masked)),
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    aten=("scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu"),
    work=flops.ATTENTION,
    types=_types,
)  # fmt: skip
def attention(q, k, v, bias, *, scale, causal, masked):
    """(softmax(q k^T scale + bias) v, logarithms of sums, weights); `causal` hides later keys.

    `masked` is "add" for an additive bias, "bool" for one that says what takes part, "" for none.
    """
    return arrays.attention_arrays(q, k, v, bias, scale, causal, masked)
