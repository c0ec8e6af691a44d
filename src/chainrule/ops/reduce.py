"""Reductions over a tuple of axes. Half precision is summed in float32 and rounded once."""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def wide(x):
    """Half precision as float32; anything else as it is."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


@helper
def kept(shape, axis):
    """`shape` with the reduced axes as 1."""
    return tuple(1 if i in axis else n for i, n in enumerate(shape))


@helper
def spread(g, shape, axis, keepdims):
    """A reduced value repeated back to the shape it was reduced from."""
    if not keepdims and axis and len(g.shape):
        g = reshape(g, shape=kept(shape, axis))
    return broadcast_to(g, shape=shape)


@op(
    vjp={"x": lambda g, x_shape, axis, keepdims: spread(g, x_shape, axis, keepdims)},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    node="SumBackward0",
    lower=ir.reduce("add"),
)
def reduce_sum(x, *, axis, keepdims):
    """The sum over `axis`."""
    if x.dtype.itemsize == 2 and x.dtype.kind in "fV":
        return np.add.reduce(x.astype(np.float32), axis, keepdims=keepdims).astype(x.dtype)
    return np.add.reduce(x, axis, keepdims=keepdims)


@op(
    vjp={
        "x": lambda g, x_shape, axis, keepdims: spread(
            g / count_of(x_shape, axis), x_shape, axis, keepdims
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    node="MeanBackward0",
)
def reduce_mean(x, *, axis, keepdims):
    """The arithmetic mean over `axis`."""
    n = count_of(x.shape, axis)
    return np.asarray(np.add.reduce(wide(x), axis, keepdims=keepdims) / n).astype(
        x.dtype, copy=False
    )


@helper
def count_of(shape, axis):
    """How many elements one reduced value stands for."""
    n = 1
    for a in axis:
        n *= shape[a]
    return n


@op(
    vjp={"x": lambda g, x, out, x_shape, axis, keepdims: spread_to_ties(
        g, x, out, x_shape, axis, keepdims)},
    jvp={"x": lambda t, x, out, x_shape, axis, keepdims: mean_over_ties(
        t, x, out, x_shape, axis, keepdims)},
    batch=Front(axes=("axis",)),
    node="AmaxBackward0",
    lower=ir.reduce("max"),
)  # fmt: skip
def reduce_max(x, *, axis, keepdims):
    """The largest element over `axis`; ties share the gradient."""
    return np.maximum.reduce(x, axis, keepdims=keepdims)


@helper
def spread_to_ties(g, x, out, shape, axis, keepdims):
    """Share the gradient equally among the elements equal to the reduced value."""
    hit = cast(x == spread(out, shape, axis, keepdims), dtype=g_dtype(g))
    count = reduce_sum(hit, axis=axis, keepdims=True)
    return spread(g, shape, axis, keepdims) * hit / count


@helper
def mean_over_ties(t, x, out, shape, axis, keepdims):
    """The mean tangent over the elements equal to the reduced value."""
    hit = cast(x == spread(out, shape, axis, keepdims), dtype=g_dtype(t))
    count = reduce_sum(hit, axis=axis, keepdims=keepdims)
    return reduce_sum(t * hit, axis=axis, keepdims=keepdims) / count


def _np_dtype(x):
    return getattr(x.dtype, "np", x.dtype)


@helper
def g_dtype(x):
    """The NumPy dtype of a value of any world."""
    return getattr(x.dtype, "np", x.dtype)


# ---- softmax -----------------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, out, axis: g - exp(out) * reduce_sum(g, axis=(axis,), keepdims=True)},
    jvp={"x": lambda t, out, axis: t - reduce_sum(t * exp(out), axis=(axis,), keepdims=True)},
    batch=Front(axes=("axis",)),
)
def log_softmax(x, *, axis):
    """log(softmax(x)) along `axis`, stable for any logits."""
    y = wide(x)
    y = y - np.maximum.reduce(y, axis, keepdims=True) if y.size else y
    y -= np.log(np.add.reduce(np.exp(y), axis, keepdims=True))
    return y.astype(x.dtype, copy=False)


@op(
    vjp={"x": lambda g, out, axis: out * (
        g - reduce_sum(g * out, axis=(axis,), keepdims=True))},
    jvp={"x": lambda t, out, axis: out * (
        t - reduce_sum(t * out, axis=(axis,), keepdims=True))},
    batch=Front(axes=("axis",)),
)  # fmt: skip
def softmax(x, *, axis):
    """exp(x) normalised to sum to one along `axis`, stable for any logits."""
    y = wide(x)
    y = np.exp(y - np.maximum.reduce(y, axis, keepdims=True)) if y.size else y
    y /= np.add.reduce(y, axis, keepdims=True)
    return y.astype(x.dtype, copy=False)
