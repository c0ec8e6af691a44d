"""log-sum-exp and softmax, stable for any logits, and the gradients of softmax.

The gradients are ops of their own: on arrays they run a few rows at a time, so that no large
intermediate is stored (512 x 1024 float32: 8 ms with whole intermediates, 2 ms by rows).
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front
from .halves import wide
from .kernels import fast
from .schema import helper, op
from .sums import summed, summed_of, without

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_AT_ONCE = 1 << 17  # elements whose exponentials may be held at once


@op(
    vjp={"x": lambda g, x, out, axis, keepdims: pull(
        g, lse_slope(x, out, axis, keepdims), axis, keepdims)},
    jvp={"x": lambda t, x, out, axis, keepdims: push(
        t, lse_slope(x, out, axis, keepdims), axis, keepdims)},
    promote="none",
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda x, *, axis, keepdims: stable_lse(x, axis, keepdims)),
)  # fmt: skip
def logsumexp(x, *, axis, keepdims):
    """log(sum(exp(x))) over `axis`, without overflow."""
    y = wide(x)
    if not y.size:
        total = np.add.reduce(np.exp(y), axis, keepdims=keepdims)
        return np.asarray(np.log(total)).astype(x.dtype, copy=False)
    top = np.maximum.reduce(y.real if y.dtype.kind == "c" else y, axis, keepdims=True)
    top = np.where(np.isinf(top), top.dtype.type(0), top)  # inf - inf would be NaN
    if y.size <= _AT_ONCE:
        total = np.log(summed(_shifted_exp(y, top), axis, keepdims))
    else:
        total = np.log(without(summed_of(_shifted_exp, axis, y, top), axis, keepdims))
    return np.asarray(total + top.reshape(total.shape)).astype(x.dtype, copy=False)


def _shifted_exp(x, top):
    return np.exp(x - top)


@helper
def lse_slope(x, out, axis, keepdims):
    """The softmax that log-sum-exp's gradient is."""
    return conj_if(exp(x - unreduced(out, tuple(x.shape), axis, keepdims)))


@helper
def stable_lse(x, axis, keepdims):
    """log-sum-exp, in ops."""
    top = reduce_max(x, axis=axis, keepdims=True)
    top = where(top - top == 0, top, 0.0)
    total = log(reduce_sum(exp(x - top), axis=axis, keepdims=keepdims))
    return total + reshape(top, shape=tuple(total.shape))


@op(
    vjp={"x": lambda g, out, axis: log_softmax_pull(g, out, axis=axis)},
    jvp={"x": lambda t, out, axis: t - reduce_sum(t * exp(out), axis=(axis,), keepdims=True)},
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda x, *, axis: shifted_log_softmax(x, axis)),
    aten=("log_softmax", "_log_softmax"),
)
def log_softmax(x, *, axis):
    """log(softmax(x)) along `axis`, stable for any logits."""
    if axis == x.ndim - 1:
        done = fast.log_softmax(x)
        if done is not None:
            return done
    return by_blocks(_log_softmax, axis, wide(x)).astype(x.dtype, copy=False)


def _log_softmax(x, axis, out):
    np.subtract(x, np.maximum.reduce(x, axis, keepdims=True), out=out)
    out -= np.log(summed(np.exp(out), (axis,), True))


@helper
def shifted_log_softmax(x, axis):
    """log_softmax, in ops."""
    y = x - reduce_max(x, axis=(axis,), keepdims=True)
    return y - log(reduce_sum(exp(y), axis=(axis,), keepdims=True))


@op(
    vjp={"x": lambda g, out, axis: softmax_pull(g, out, axis=axis)},
    jvp="same",
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda x, *, axis: shifted_softmax(x, axis)),
    aten=("softmax", "_softmax"),
)
def softmax(x, *, axis):
    """exp(x) normalised to sum to one along `axis`, stable for any logits."""
    if axis == x.ndim - 1:
        done = fast.softmax(x)
        if done is not None:
            return done
    return by_blocks(_softmax, axis, wide(x)).astype(x.dtype, copy=False)


def _softmax(x, axis, out):
    np.subtract(x, np.maximum.reduce(x, axis, keepdims=True), out=out)
    np.exp(out, out=out)
    out /= summed(out, (axis,), True)


@helper
def shifted_softmax(x, axis):
    """softmax, in ops."""
    e = exp(x - reduce_max(x, axis=(axis,), keepdims=True))
    return e / reduce_sum(e, axis=(axis,), keepdims=True)


# ---- gradients of softmax ------------------------------------------------------------------------


@op(
    vjp={
        "u": lambda g, y, axis: softmax_pull(g, y, axis=axis),
        "y": lambda g, u, y, axis: softmax_bend(g, u, y, axis),
    },
    jvp={
        "u": lambda t, y, axis: softmax_pull(t, y, axis=axis),
        "y": lambda t, u, y, axis: (
            t * (u - reduce_sum(u * y, axis=(axis,), keepdims=True))
            - y * reduce_sum(u * t, axis=(axis,), keepdims=True)
        ),
    },
    batch=Front(axes=("axis",)),
    lower=ir.compose(
        lambda u, y, *, axis: y * (u - reduce_sum(u * y, axis=(axis,), keepdims=True))
    ),
)
def softmax_pull(u, y, *, axis):
    """The (symmetric) Jacobian of softmax at its result y, times u."""
    if axis == y.ndim - 1:
        done = fast.softmax_pull(u, y)
        if done is not None:
            return done
    return by_blocks(_softmax_pull, axis, wide(u), wide(y)).astype(y.dtype, copy=False)


def _softmax_pull(u, y, axis, out):
    np.multiply(u, y, out=out)
    out -= y * summed(out, (axis,), True)


@helper
def softmax_bend(g, u, y, axis):
    """How g . softmax_pull(u, y) moves with y."""
    left = u - reduce_sum(u * y, axis=(axis,), keepdims=True)
    return g * left - u * reduce_sum(g * y, axis=(axis,), keepdims=True)


@op(
    vjp={
        "u": lambda g, y, axis: g - reduce_sum(g * exp(y), axis=(axis,), keepdims=True),
        "y": lambda g, u, y, axis: -(g * exp(y)) * reduce_sum(u, axis=(axis,), keepdims=True),
    },
    jvp={
        "u": lambda t, y, axis: log_softmax_pull(t, y, axis=axis),
        "y": lambda t, u, y, axis: -(t * exp(y)) * reduce_sum(u, axis=(axis,), keepdims=True),
    },
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda u, y, *, axis: u - exp(y) * reduce_sum(u, axis=(axis,), keepdims=True)),
)
def log_softmax_pull(u, y, *, axis):
    """The transposed Jacobian of log_softmax at its result y, times u."""
    if axis == y.ndim - 1:
        done = fast.log_softmax_pull(u, y)
        if done is not None:
            return done
    return by_blocks(_log_softmax_pull, axis, wide(u), wide(y)).astype(y.dtype, copy=False)


def _log_softmax_pull(u, y, axis, out):
    np.exp(y, out=out)
    out *= summed(u, (axis,), True)
    np.subtract(u, out, out=out)


_BLOCK = 1 << 15  # elements that stay in the cache between the passes over them


def by_blocks(function, axis, *arrays):
    """What function(*arrays, axis, out) writes, a few rows at a time where the arrays are large."""
    x = arrays[-1]
    out = np.empty(x.shape, x.dtype)
    if x.size <= 2 * _BLOCK or axis != x.ndim - 1:
        if x.size:
            function(*arrays, axis, out)
        return out
    n = x.shape[-1]
    rows = [a.reshape(-1, n) for a in arrays]
    flat = out.reshape(-1, n)
    step = max(1, _BLOCK // n)
    for start in range(0, len(flat), step):
        piece = slice(start, start + step)
        function(*(a[piece] for a in rows), 1, flat[piece])
    return out
