"""Normalisation: layer, batch, group and root-mean-square norms.

The first three are one computation on a reshaped input: `view` is that shape, `axes` the axes over
which mean and variance are taken, `channel` the shape in which weight and bias broadcast there.
`affine` says whether weight and bias are real; an absent one is a 0-dim stand-in.

The formulas in ops are the only ones for layer and root-mean-square norms: their kernels are made
of them (`row_formulas.py`). Those of batch and group norms are written by hand, as their weights
and statistics do not lie along rows. Without machine code the formulas run on arrays.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import ir
from .batching import Plain
from .errors import need_real
from .halves import is_half, wide
from .kernels import fast
from .layout import in_order, lying_as
from .reduce import ones_vector
from .result_types import as_first
from .row_formulas import COLUMNS, ROW, N, RowFormula
from .schema import helper, op
from .sums import summed
from .worlds import ARRAYS

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_ROWS = 256  # rows whose gradients native kernels add one after the other


# ---- on arrays -----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _zeros(n, dtype):
    """A vector of zeros that is not to be written to."""
    return np.broadcast_to(np.zeros(n, dtype), n)


def _parameters(x, w, b, n, affine):
    """Weight and bias, or what stands for absent ones."""
    w = w if affine[0] else ones_vector(n, x.dtype)
    return w, b if affine[1] else _zeros(n, x.dtype)


def _chunks(size, rows):
    """How many sums native kernels make side by side: one for each piece of much work."""
    return 1 if size < 1 << 15 else max(min(16, rows), rows // _ROWS)


def native_norm(x, w, b, view, axes, eps, affine):
    """norm_arrays by machine code, or None; the statistics only for batches."""
    if axes == (1,):
        rows, n = view
        y = fast.layer_norm(x, *_parameters(x, w, b, n, affine), rows, n, eps)
        return None if y is None else (y, None, None)
    if axes == (0, 2):
        images, channels, inner = view
        w, b = _parameters(x, w, b, channels, affine)
        if x.ndim == 2:
            done = fast.column_norm(x, w, b, eps)
            return done if done is None else done[:3]
        return fast.batch_norm(x, w, b, images, inner, eps) if images * inner else None
    if axes == (2, 3):
        images, groups, own, inner = view
        w, b = _parameters(x, w, b, groups * own, affine)
        y = fast.group_norm(x, w, b, images, groups, inner, eps) if own * inner else None
        return None if y is None else (y, None, None)
    return None


def native_gradients(g, mask, x, w, view, axes, eps, affine):
    """norm_gradients by machine code, or None."""
    if axes == (1,):
        rows, n = view
        if rows and n:
            w = w if affine[0] else ones_vector(n, x.dtype)
            chunks = _chunks(x.size, rows)
            done = fast.layer_norm_gradient(g, x, w, rows, n, eps, chunks, *mask)
            return done if done is None else (done[0], _total(done[1]), _total(done[2]))
    elif axes == (0, 2):
        images, channels, inner = view
        w = w if affine[0] else ones_vector(channels, x.dtype)
        if x.ndim == 2:
            done = fast.column_norm_gradient(g, x, w, eps)
            return None if done is None else tuple(
                part if wanted else None for part, wanted in zip(done, mask, strict=False)
            )  # fmt: skip
        if images * inner:
            return fast.batch_norm_gradient(g, x, w, images, inner, eps, *mask)
    elif axes == (2, 3):
        images, groups, own, inner = view
        if images * own * inner:
            w = w if affine[0] else ones_vector(groups * own, x.dtype)
            return fast.group_norm_gradient(g, x, w, images, groups, inner, eps, *mask)
    return None


def _total(parts):
    """The sum of the chunks' rows."""
    if parts is None:
        return None
    return parts[0] if len(parts) == 1 else summed(parts, (0,))


def norm_arrays(x, w, b, view, axes, channel, eps, affine):
    """(result, mean, variance); the statistics keep the reduced axes of `view`."""
    if is_half(x.dtype):
        out, mean, var = norm_arrays(
            wide(x), wide(w), wide(b), view, axes, channel, eps, affine
        )  # fmt: skip
        return out.astype(x.dtype), mean, var
    done = native_norm(np.ascontiguousarray(x), w, b, view, axes, eps, affine)
    if done is None:
        need_real(x, "LayerNormKernelImpl" if len(view) == 2 else "batch_norm")
        form = ARRAYS.bind(norm_in_ops)
        done = form(x, wide(w), wide(b), view, axes, channel, eps, affine)
    out = in_order(done[0].astype(x.dtype, copy=False))
    return (out if axes == (1,) else lying_as(out, x)), *done[1:]


def norm_gradients(g, mask, x, w, b_shape, view, axes, channel, eps, affine):
    """Gradients of norm_arrays for the wanted of (x, w, b)."""
    done = native_gradients(g, mask, np.ascontiguousarray(x), w, view, axes, eps, affine)
    if done is None:
        form = ARRAYS.bind(norm_gradients_in_ops)
        done = form(wide(g), mask, wide(x), wide(w), b_shape, view, axes, channel, eps, affine)
    gx, gw, gb = done
    gx = None if gx is None else gx.astype(x.dtype, copy=False)
    return (
        gx if gx is None or axes == (1,) else lying_as(gx, x),
        None if gw is None else gw.reshape(w.shape).astype(w.dtype, copy=False),
        None if gb is None else gb.reshape(b_shape).astype(x.dtype, copy=False),
    )


# ---- in ops --------------------------------------------------------------------------------------


@helper
def standard_in_ops(y, axes, eps):
    """(standardised y, mean, variance, 1 / standard deviation), in ops; what rounding left of the
    mean is taken out."""
    mean = reduce_mean(y, axis=axes, keepdims=True)
    away = y - mean
    rest = reduce_mean(away, axis=axes, keepdims=True)
    var = reduce_mean(away * away, axis=axes, keepdims=True) - rest * rest
    rstd = reciprocal(sqrt(var + eps))
    return away * rstd - rest * rstd, mean, var, rstd


@helper
def norm_in_ops(x, w, b, view, axes, channel, eps, affine):
    """(result, mean, variance); the statistics keep the reduced axes of `view`."""
    out, mean, var, _ = standard_in_ops(reshape(x, shape=view), axes, eps)
    if affine[0]:
        out = out * reshape(w, shape=channel)
    if affine[1]:
        out = out + reshape(b, shape=channel)
    return reshape(out, shape=tuple(x.shape)), mean, var


@helper
def norm_gradients_in_ops(g, mask, x, w, b_shape, view, axes, channel, eps, affine):
    """The gradients of a norm for the wanted of (x, w, b)."""
    gy = reshape(g, shape=view)
    hat, _, _, rstd = standard_in_ops(reshape(x, shape=view), axes, eps)
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


@helper
def norm_tangent(t, x, w, view, axes, channel, eps, affine):
    """The tangent of a norm's result for a tangent t of x."""
    ty = reshape(t, shape=view)
    hat, _, _, rstd = standard_in_ops(reshape(x, shape=view), axes, eps)
    shared = reduce_mean(ty, axis=axes, keepdims=True)
    out = (ty - shared - hat * reduce_mean(ty * hat, axis=axes, keepdims=True)) * rstd
    return reshape(out * reshape(w, shape=channel) if affine[0] else out, shape=tuple(x.shape))


@helper
def norm_weight_tangent(t, x, view, axes, channel, eps):
    """The tangent of a norm's result for a tangent t of the weight."""
    hat = standard_in_ops(reshape(x, shape=view), axes, eps)[0]
    return reshape(hat * reshape(t, shape=channel), shape=tuple(x.shape))


@helper
def norm_bias_tangent(t, x_shape, view, channel):
    """The tangent of a norm's result for a tangent t of the bias."""
    return reshape(broadcast_to(reshape(t, shape=channel), shape=view), shape=x_shape)


def _norm_joint(gradients, several):
    """The rule on arrays; `gradients` comes through a closure, as it speaks NumPy."""

    def joint(g, mask, x, w, b_shape, view, axes, channel, eps, affine):
        first = g[0] if several else g
        return gradients(first, mask, x, w, b_shape, view, axes, channel, eps, affine)

    return joint


def _norm_plain(x, w, b, *, view, axes, channel, eps, affine):
    return norm_in_ops(x, w, b, view, axes, channel, eps, affine)[0]


def _declare_norm(name, node):
    def forward(x, w, b, *, view, axes, channel, eps, affine):
        """(x - mean) / sqrt(variance + eps) * w + b; see the module."""
        return norm_arrays(x, w, b, view, axes, channel, eps, affine)[0]

    op(
        name=name, node=node, aten=(name, f"native_{name}"),
        joint=_norm_joint(norm_gradients, False),
        dead=("b",) if name == "layer_norm" else (),
        plain_joint=lambda g, mask, x, w, b_shape, view, axes, channel, eps, affine: (
            norm_gradients_in_ops(g, mask, x, w, b_shape, view, axes, channel, eps, affine)),
        jvp={
            "x": lambda t, x, w, view, axes, channel, eps, affine: norm_tangent(
                t, x, w, view, axes, channel, eps, affine),
            "w": lambda t, x, view, axes, channel, eps: norm_weight_tangent(
                t, x, view, axes, channel, eps),
            "b": lambda t, x_shape, view, channel: norm_bias_tangent(t, x_shape, view, channel),
        },
        batch=Plain(_norm_plain), lower=ir.compose(_norm_plain), types=as_first,
    )(forward)  # fmt: skip


def _with_statistics(x, w, b, *, channel, **rest):
    inner = np.dtype(np.float32) if is_half(x.dtype) else x.dtype
    return [(x.shape, x.dtype), (tuple(channel), inner), (tuple(channel), inner)]


_declare_norm("layer_norm", "NativeLayerNormBackward0")
_declare_norm("group_norm", "NativeGroupNormBackward0")


@op(
    joint=_norm_joint(norm_gradients, True),
    plain_joint=lambda g, mask, x, w, b_shape, view, axes, channel, eps, affine: (
        norm_gradients_in_ops(g[0], mask, x, w, b_shape, view, axes, channel, eps, affine)
    ),
    jvp={
        "x": lambda t, x, w, view, axes, channel, eps, affine: (
            norm_tangent(t, x, w, view, axes, channel, eps, affine),
            None,
            None,
        ),
        "w": lambda t, x, view, axes, channel, eps: (
            norm_weight_tangent(t, x, view, axes, channel, eps),
            None,
            None,
        ),
        "b": lambda t, x_shape, view, channel: (
            norm_bias_tangent(t, x_shape, view, channel),
            None,
            None,
        ),
    },
    n_out=3,
    nondiff_out=(1, 2),
    batch=Plain(
        lambda x, w, b, *, view, axes, channel, eps, affine: norm_in_ops(
            x, w, b, view, axes, channel, eps, affine
        )
    ),
    node="NativeBatchNormBackward0",
    lower=ir.compose(
        lambda x, w, b, *, view, axes, channel, eps, affine: norm_in_ops(
            x, w, b, view, axes, channel, eps, affine
        )
    ),
    dead=("b",),
    aten=("batch_norm", "native_batch_norm"),
    types=_with_statistics,
)
def batch_norm(x, w, b, *, view, axes, channel, eps, affine):
    """(result, mean, variance): the running statistics need the last two."""
    return norm_arrays(x, w, b, view, axes, channel, eps, affine)


_LAYER = {"view": ROW, "axes": (1,), "channel": (1, N), "affine": (True, True)}
RowFormula(
    "layer_norm",
    {"x": ROW, "w": COLUMNS, "b": COLUMNS},
    numbers=("eps",),
    sized=True,
    quick=True,
    **_LAYER,
)
RowFormula(
    "layer_norm", {"g": ROW, "x": ROW, "w": COLUMNS}, ("gx", "gw", "gb"), gradient="all",
    numbers=("eps",), sized=True, quick=True, mask=(True, True, True), b_shape=COLUMNS, **_LAYER,
)  # fmt: skip


# ---- root mean square ----------------------------------------------------------------------------


def rms_arrays(x, w, axes, eps, weighted):
    """x over its root mean square, times w."""
    if is_half(x.dtype):
        return rms_arrays(wide(x), wide(w), axes, eps, weighted).astype(x.dtype)
    n = math.prod(x.shape[k] for k in axes)
    rows = x.size // n if n else 0
    done = fast.rms_norm(x, w if weighted else ones_vector(n, x.dtype), rows, n, eps)
    if done is None:
        done = ARRAYS.bind(_rms_in_ops)(x, wide(w), axes=axes, eps=eps, weighted=weighted)
    return lying_as(np.asarray(done, x.dtype, order="C"), x)


def rms_gradients(g, mask, x, w, axes, eps, weighted):
    """Gradients of rms_arrays for the wanted of (x, w)."""
    n = math.prod(x.shape[k] for k in axes)
    rows = x.size // n if n else 0
    if rows:
        scale = w if weighted else ones_vector(n, x.dtype)
        done = fast.rms_norm_gradient(g, x, scale, rows, n, eps, _chunks(x.size, rows), *mask)
        if done is not None:
            gw = _total(done[1])
            return done[0], None if gw is None else gw.reshape(w.shape)
    form = ARRAYS.bind(rms_gradients_in_ops)
    gx, gw = form(wide(g), mask, wide(x), wide(w), axes, eps, weighted)
    return (
        None if gx is None else gx.astype(x.dtype, copy=False),
        None if gw is None else gw.astype(w.dtype, copy=False),
    )


@helper
def rms_gradients_in_ops(g, mask, x, w, axes, eps, weighted):
    """The gradients of rms_norm for the wanted of (x, w)."""
    x, w = conj_if(x), conj_if(w)
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


@helper
def rms_tangent(t, x, w, axes, eps, weighted):
    """The tangent of rms_norm for a tangent t of x."""
    scale = reciprocal(sqrt(reduce_mean(x * x, axis=axes, keepdims=True) + eps))
    hat = x * scale
    out = (t - hat * reduce_mean(t * hat, axis=axes, keepdims=True)) * scale
    return out * w if weighted else out


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
    jvp={
        "x": lambda t, x, w, axes, eps, weighted: rms_tangent(t, x, w, axes, eps, weighted),
        "w": lambda t, x, axes, eps: (
            x * reciprocal(sqrt(reduce_mean(x * x, axis=axes, keepdims=True) + eps)) * t
        ),
    },
    batch=Plain(_rms_in_ops),
    node="MulBackward0",
    lower=ir.compose(_rms_in_ops),
    aten=("rms_norm",),
    types=as_first,
)
def rms_norm(x, w, *, axes, eps, weighted):
    """x over the root of its mean square along the last axes, times w."""
    return rms_arrays(x, w, axes, eps, weighted)


_RMS = {"axes": (1,), "weighted": True}
RowFormula("rms_norm", {"x": ROW, "w": COLUMNS}, numbers=("eps",), sized=True, quick=True, **_RMS)
RowFormula(
    "rms_norm", {"g": ROW, "x": ROW, "w": COLUMNS}, ("gx", "gw"), gradient="all",
    numbers=("eps",), sized=True, quick=True, mask=(True, True), **_RMS,
)  # fmt: skip
