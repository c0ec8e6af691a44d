"""Normalisation: layer, batch, group and root-mean-square norms, forward and backward fused.

The first three are one computation on a reshaped input: `view` is that shape, `axes` the axes over
which mean and variance are taken, `channel` the shape in which weight and bias broadcast there.
`affine` says whether weight and bias are real; an absent one is a 0-dim stand-in.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Plain
from .reduce import wide
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


# ---- on arrays -----------------------------------------------------------------------------------


def mean_product(a, b, axes):
    """The mean of a * b over `axes`, kept as dimensions of length 1."""
    if axes == (a.ndim - 1,) and a.ndim == 2:
        # One pass without a temporary.
        return np.einsum("ij,ij->i", a, b)[:, None] / a.shape[1]
    count = 1
    for k in axes:
        count *= a.shape[k]
    return np.add.reduce(a * b, axes, keepdims=True) / count


def sum_to(a, shape):
    """a summed to a shape of the same rank."""
    axes = tuple(k for k, n in enumerate(shape) if n == 1)
    return np.add.reduce(a, axes, keepdims=True)


def norm_arrays(x, w, b, view, axes, channel, eps, affine):
    """(result, mean, variance); the statistics keep the reduced axes of `view`."""
    y = wide(x).reshape(view)
    mean = y.mean(axes, keepdims=True)
    out = y - mean
    var = mean_product(out, out, axes)
    out *= 1 / np.sqrt(var + eps)
    if affine[0]:
        out *= wide(w).reshape(channel)
    if affine[1]:
        out += wide(b).reshape(channel)
    return out.reshape(x.shape).astype(x.dtype, copy=False), mean, var


def norm_gradients(g, mask, x, w, b_shape, mean, var, view, axes, channel, eps, affine):
    """Gradients of norm_arrays for the wanted of (x, w, b)."""
    gy = wide(g[0]).reshape(view)
    rstd = 1 / np.sqrt(var + eps)
    gx = gw = gb = None
    if mask[2]:
        gb = sum_to(gy, channel).reshape(b_shape).astype(x.dtype, copy=False)
    if mask[0] or mask[1]:
        hat = (wide(x).reshape(view) - mean) * rstd
    if mask[1]:
        gw = sum_to(gy * hat, channel).reshape(w.shape).astype(w.dtype, copy=False)
    if mask[0]:
        h = gy * wide(w).reshape(channel) if affine[0] else gy.copy()
        hat *= mean_product(h, hat, axes)
        h -= h.mean(axes, keepdims=True)
        h -= hat
        h *= rstd
        gx = h.reshape(x.shape).astype(x.dtype, copy=False)
    return gx, gw, gb


# ---- in ops --------------------------------------------------------------------------------------


@helper
def standardised(x, view, axes, eps):
    """(x in its view minus the mean, times rstd; rstd)."""
    y = reshape(x, shape=view)
    centred = y - reduce_mean(y, axis=axes, keepdims=True)
    rstd = reciprocal(sqrt(reduce_mean(centred * centred, axis=axes, keepdims=True) + eps))
    return centred * rstd, rstd


@helper
def norm_in_ops(x, w, b, view, axes, channel, eps, affine):
    """norm_arrays, written in ops."""
    y = reshape(x, shape=view)
    mean = reduce_mean(y, axis=axes, keepdims=True)
    centred = y - mean
    var = reduce_mean(centred * centred, axis=axes, keepdims=True)
    out = centred * reciprocal(sqrt(var + eps))
    if affine[0]:
        out = out * reshape(w, shape=channel)
    if affine[1]:
        out = out + reshape(b, shape=channel)
    return reshape(out, shape=tuple(x.shape)), mean, var


@helper
def norm_gradients_in_ops(g, mask, x, w, b_shape, view, axes, channel, eps, affine):
    """norm_gradients, written in ops."""
    gy = reshape(g, shape=view)
    hat, rstd = standardised(x, view, axes, eps)
    over = tuple(k for k, n in enumerate(channel) if n == 1)
    gx = gw = gb = None
    if mask[2]:
        gb = reshape(reduce_sum(gy, axis=over, keepdims=True), shape=b_shape)
    if mask[1]:
        gw = reshape(reduce_sum(gy * hat, axis=over, keepdims=True), shape=tuple(w.shape))
    if mask[0]:
        h = gy * reshape(w, shape=channel) if affine[0] else gy
        shared = reduce_mean(h, axis=axes, keepdims=True)
        along = hat * reduce_mean(h * hat, axis=axes, keepdims=True)
        gx = reshape((h - shared - along) * rstd, shape=tuple(x.shape))
    return gx, gw, gb


def _declare_norm(name, node):
    """One op of the family; `gradients` is reached through a closure: it is for arrays only."""
    gradients = norm_gradients

    def joint(g, mask, x, w, b_shape, out1, out2, view, axes, channel, eps, affine):
        return gradients(g, mask, x, w, b_shape, out1, out2, view, axes, channel, eps, affine)

    def plain_joint(g, mask, x, w, b_shape, view, axes, channel, eps, affine):
        return norm_gradients_in_ops(g[0], mask, x, w, b_shape, view, axes, channel, eps, affine)

    def in_ops(x, w, b, *, view, axes, channel, eps, affine):
        return norm_in_ops(x, w, b, view, axes, channel, eps, affine)

    def forward(x, w, b, *, view, axes, channel, eps, affine):
        return norm_arrays(x, w, b, view, axes, channel, eps, affine)

    forward.__doc__ = f"{name}: (result, mean, variance); see the module."
    op(
        name=name, node=node, joint=joint, plain_joint=plain_joint, n_out=3, nondiff_out=(1, 2),
        batch=Plain(in_ops), lower=ir.compose(in_ops),
    )(forward)  # fmt: skip


_declare_norm("layer_norm", "NativeLayerNormBackward0")
_declare_norm("batch_norm", "NativeBatchNormBackward0")
_declare_norm("group_norm", "NativeGroupNormBackward0")


# ---- root mean square ----------------------------------------------------------------------------


def rms_arrays(x, w, axes, eps, weighted):
    """x over its root mean square, times w."""
    y = wide(x)
    out = y / np.sqrt((y * y).mean(axes, keepdims=True) + eps)
    if weighted:
        out *= wide(w)
    return out.astype(x.dtype, copy=False)


def rms_gradients(g, mask, x, w, axes, eps, weighted):
    """Gradients of rms_arrays for the wanted of (x, w)."""
    gy, y = wide(g), wide(x)
    scale = 1 / np.sqrt((y * y).mean(axes, keepdims=True) + eps)
    hat = y * scale
    gx = gw = None
    if mask[1]:
        gw = (gy * hat).sum(tuple(range(x.ndim - w.ndim))).astype(w.dtype, copy=False)
    if mask[0]:
        h = gy * wide(w) if weighted else gy
        hat *= (h * hat).mean(axes, keepdims=True)
        gx = ((h - hat) * scale).astype(x.dtype, copy=False)
    return gx, gw


@helper
def rms_gradients_in_ops(g, mask, x, w, axes, eps, weighted):
    """rms_gradients, written in ops."""
    scale = reciprocal(sqrt(reduce_mean(x * x, axis=axes, keepdims=True) + eps))
    hat = x * scale
    gx = gw = None
    if mask[1]:
        lead = tuple(range(len(x.shape) - len(w.shape)))
        gw = reduce_sum(g * hat, axis=lead, keepdims=False)
    if mask[0]:
        h = g * w if weighted else g
        gx = (h - hat * reduce_mean(h * hat, axis=axes, keepdims=True)) * scale
    return gx, gw


def _rms_in_ops(x, w, *, axes, eps, weighted):
    out = x * reciprocal(sqrt(reduce_mean(x * x, axis=axes, keepdims=True) + eps))
    return out * w if weighted else out


def _rms_joint(gradients):
    def joint(g, mask, x, w, axes, eps, weighted):
        return gradients(g, mask, x, w, axes, eps, weighted)

    return joint


@op(
    joint=_rms_joint(rms_gradients),
    plain_joint=lambda g, mask, x, w, axes, eps, weighted: rms_gradients_in_ops(
        g, mask, x, w, axes, eps, weighted
    ),
    batch=Plain(_rms_in_ops),
    node="MulBackward0",
    lower=ir.compose(_rms_in_ops),
)
def rms_norm(x, w, *, axes, eps, weighted):
    """x over the root of its mean square along the last axes, times w."""
    return rms_arrays(x, w, axes, eps, weighted)
