"""log-sum-exp and softmax, stable for any logits, and the gradients of softmax.

The gradients are ops of their own. Each is written once, in ops: the kernels of rows are made of
the lowerings (`row_formulas.py`), and without them the lowerings run on arrays a few rows at a
time, so that no large intermediate is stored.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front
from .halves import wide
from .kernels import fast
from .result_types import as_first
from .row_formulas import ROW, RowFormula
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
    types=as_first,
)
def log_softmax(x, *, axis):
    """log(softmax(x)) along `axis`, stable for any logits."""
    done = fast.log_softmax(x) if axis == x.ndim - 1 else None
    return _LOG_SOFTMAX.by_numpy(x, axis=axis) if done is None else done


_LOG_SOFTMAX = RowFormula("log_softmax", {"x": ROW}, axis=1, few=True)


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
    types=as_first,
)
def softmax(x, *, axis):
    """exp(x) normalised to sum to one along `axis`, stable for any logits."""
    done = fast.softmax(x) if axis == x.ndim - 1 else None
    return _SOFTMAX.by_numpy(x, axis=axis) if done is None else done


_SOFTMAX = RowFormula("softmax", {"x": ROW}, axis=1, few=True)


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
    done = fast.softmax_pull(u, y) if axis == y.ndim - 1 else None
    return _SOFTMAX_PULL.by_numpy(u, y, axis=axis) if done is None else done


_SOFTMAX_PULL = RowFormula("softmax_pull", {"u": ROW, "y": ROW}, axis=1)


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
    done = fast.log_softmax_pull(u, y) if axis == y.ndim - 1 else None
    return _LOG_SOFTMAX_PULL.by_numpy(u, y, axis=axis) if done is None else done


_LOG_SOFTMAX_PULL = RowFormula("log_softmax_pull", {"u": ROW, "y": ROW}, axis=1)
