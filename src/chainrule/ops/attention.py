"""Attention: softmax(q k^T scale + mask) v as one op that keeps no scores.

Scores are made for a few (batch, head) pairs at a time, in the forward and again in the backward
pass, so only q, k, v and the result are held. A row in which everything is masked gives zeros.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ir
from .batching import Front, Plain
from .reduce import wide
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_SCORES = 1 << 18  # elements of the scores held at a time


# ---- on arrays -----------------------------------------------------------------------------------


def stacked(x):
    """x with all dimensions before the last two as one."""
    return x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])


class Scores:
    """Makes the attention weights of chunks of (batch, head) pairs."""

    def __init__(self, q, k, mask, scale, causal, masked):
        self.lead = q.shape[:-2]
        self.q, self.k = stacked(wide(q)), stacked(wide(k))
        rows, columns = q.shape[-2], k.shape[-2]
        self.size = max(1, _SCORES // max(1, rows * columns))
        self.scale = scale
        self.mask: Any = None
        if masked:
            full = np.broadcast_to(wide(mask), (*self.lead, rows, columns))
            shared = all(n == 1 for n in mask.shape[:-2])
            self.mask = wide(mask).reshape(mask.shape[-2:]) if shared and mask.ndim > 1 else full
        self.upper = None
        if causal:
            later = np.arange(columns) > np.arange(rows)[:, None]
            self.upper = np.where(later, np.asarray(-np.inf, self.q.dtype), 0)

    def chunks(self):
        """(start, end) of each chunk."""
        for start in range(0, len(self.q), self.size):
            yield start, min(start + self.size, len(self.q))

    def weights(self, start, end):
        """The softmax of the scores of one chunk."""
        s = np.matmul(self.q[start:end], self.k[start:end].swapaxes(-1, -2))
        s *= self.scale
        if self.mask is not None:
            s += self.mask_of(start, end)
        if self.upper is not None:
            s += self.upper
        top = s.max(-1, keepdims=True) if s.shape[-1] else np.zeros((*s.shape[:-1], 1), s.dtype)
        s -= np.where(top == -np.inf, 0, top)
        np.exp(s, out=s)
        total = s.sum(-1, keepdims=True)
        s /= np.where(total == 0, 1, total)
        return s

    def mask_of(self, start, end):
        if self.mask.ndim == 2:
            return self.mask
        return self.mask[np.unravel_index(np.arange(start, end), self.lead)]


def attention_arrays(q, k, v, mask, scale, causal, masked):
    """softmax(q k^T scale + mask) v."""
    scores = Scores(q, k, mask, scale, causal, masked)
    values = stacked(wide(v))
    out = np.empty((len(scores.q), q.shape[-2], v.shape[-1]), scores.q.dtype)
    for start, end in scores.chunks():
        np.matmul(scores.weights(start, end), values[start:end], out=out[start:end])
    return out.reshape(*q.shape[:-1], v.shape[-1]).astype(q.dtype, copy=False)


def attention_gradients(g, wants, q, k, v, mask, out, scale, causal, masked):
    """Gradients of attention for the wanted of (q, k, v, mask)."""
    scores = Scores(q, k, mask, scale, causal, masked)
    values, gy, y = stacked(wide(v)), stacked(wide(g)), stacked(wide(out))
    gq, gk, gv = np.empty_like(scores.q), np.empty_like(scores.k), np.empty_like(values)
    gm = np.empty((len(gy), q.shape[-2], k.shape[-2]), gy.dtype) if wants[3] else None
    through = (gy * y).sum(-1, keepdims=True)
    for start, end in scores.chunks():
        p = scores.weights(start, end)
        part = gy[start:end]
        np.matmul(p.swapaxes(-1, -2), part, out=gv[start:end])
        s = np.matmul(part, values[start:end].swapaxes(-1, -2))
        s -= through[start:end]
        s *= p
        if gm is not None:
            gm[start:end] = s
        s *= scale
        np.matmul(s, scores.k[start:end], out=gq[start:end])
        np.matmul(s.swapaxes(-1, -2), scores.q[start:end], out=gk[start:end])
    found = [a.reshape(t.shape).astype(t.dtype, copy=False)
             for a, t in ((gq, q), (gk, k), (gv, v))]  # fmt: skip
    return (*found, None if gm is None else _summed_to(gm, q, mask))


def _summed_to(gm, q, mask):
    full = gm.reshape(*q.shape[:-2], *gm.shape[-2:])
    lead = full.ndim - mask.ndim
    axes = tuple(range(lead)) + tuple(
        lead + i for i, n in enumerate(mask.shape) if n == 1 and full.shape[lead + i] != 1
    )
    return full.sum(axes).reshape(mask.shape).astype(mask.dtype, copy=False)


# ---- in ops --------------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g: tril(g, k=0)},
    jvp={"x": lambda t: tril(t, k=0)},
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
    if masked:
        s = s + mask
    if causal:
        s = causal_fill(s)
    last = (len(s.shape) - 1,)
    dead = reduce_max(s, axis=last, keepdims=True) == -float("inf")
    return where(dead, 0.0, softmax(where(dead, 0.0, s), axis=last[0]))


def _attention_in_ops(q, k, v, mask, *, scale, causal, masked):
    return matmul(attention_weights(q, k, mask, scale, causal, masked), v)


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


def _array_rule(gradients):
    """The rule on arrays; the function comes through a closure, as it speaks NumPy."""

    def joint(g, mask, q, k, v, bias, out, scale, causal, masked):
        return gradients(g, mask, q, k, v, bias, out, scale, causal, masked)

    return joint


@op(
    joint=_array_rule(attention_gradients),
    plain_joint=lambda g, mask, q, k, v, bias, scale, causal, masked: attention_gradients_in_ops(
        g, mask, q, k, v, bias, scale, causal, masked
    ),
    jvp={
        "q": lambda t, q, k, v, bias, scale, causal, masked: attention_tangent(
            matmul(t, mT(k)) * scale, q, k, v, bias, scale, causal, masked
        ),
        "k": lambda t, q, k, v, bias, scale, causal, masked: attention_tangent(
            matmul(q, mT(t)) * scale, q, k, v, bias, scale, causal, masked
        ),
        "v": lambda t, q, k, bias, scale, causal, masked: matmul(
            attention_weights(q, k, bias, scale, causal, masked), t
        ),
        "bias": lambda t, q, k, v, bias, scale, causal, masked: attention_tangent(
            t, q, k, v, bias, scale, causal, masked
        ),
    },
    batch=Plain(_attention_in_ops),
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    lower=ir.compose(_attention_in_ops),
)
def attention(q, k, v, bias, *, scale, causal, masked):
    """softmax(q k^T scale + bias) v; `causal` hides keys after the query's position."""
    return attention_arrays(q, k, v, bias, scale, causal, masked)
