"""Distances between all pairs of rows of two matrices."""

from __future__ import annotations

import numpy as np

from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_CHUNK = 1 << 20  # elements of the pairs' differences held at a time


def distances(a, b, p):
    """The p-norms of a_i - b_j."""
    rows, columns = a.shape[-2], b.shape[-2]
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = np.empty((*lead, rows, columns), a.dtype)
    step = max(1, _CHUNK // max(1, columns * a.shape[-1]))
    for i in range(0, rows, step):
        d = np.abs(a[..., i : i + step, None, :] - b[..., None, :, :])
        out[..., i : i + step, :] = row_norms(d, p)
    return out


def row_norms(d, p):
    """The p-norms along the last axis of non-negative d."""
    if p == 0:
        return np.where(np.isnan(d), d, d != 0).sum(-1)
    if p == 1:
        return d.sum(-1)
    if p == 2:
        return np.sqrt((d * d).sum(-1))
    if p == np.inf:
        return d.max(-1, initial=0)
    return (d**p).sum(-1) ** (1 / p)


@helper
def over_distance(g, out):
    """g / out, zero where the distance is zero."""
    return where(out == 0, 0.0, g / where(out == 0, 1.0, out))


@helper
def distance_slopes(g, a, b, out, p):
    """The gradients of all differences a_i - b_j."""
    shape = tuple(a.shape)
    d = reshape(a, shape=(*shape[:-1], 1, shape[-1])) - row_of_rows(b)
    if p == 0:
        return zeroed(d)
    if p == 1:
        return sgn(d) * column(g)
    if p == 2:
        return d * column(over_distance(g, out))
    if p == float("inf"):
        return where(abs(d) == column(out), sgn(d) * column(g), 0.0)
    scale = column(over_distance(g, out))
    ratio = abs(d) / column(where(out == 0, 1.0, out))
    return where(d == 0, 0.0, sgn(d) * ratio ** (p - 1)) * scale * column(out)


@helper
def row_of_rows(b):
    """b with a dimension of length 1 before its last two."""
    shape = tuple(b.shape)
    return reshape(b, shape=(*shape[:-2], 1, *shape[-2:]))


@helper
def distance_pull(g, a, b, out, p, by_product):
    """The gradient of the first matrix's rows."""
    if by_product:
        ratio = over_distance(g, out)
        total = reduce_sum(ratio, axis=(len(ratio.shape) - 1,), keepdims=True)
        return a * total - matmul(ratio, b)
    slopes = distance_slopes(g, a, b, out, p)
    return reduce_sum(slopes, axis=(len(slopes.shape) - 2,), keepdims=False)


@helper
def distance_push(t, a, b, out, p, by_product):
    """The tangent of the distances for a tangent of the first matrix's rows."""
    if by_product:
        along = reduce_sum(a * t, axis=(len(a.shape) - 1,), keepdims=True)
        return over_distance(along - matmul(t, mT(b)), out)
    slopes = distance_slopes(zeroed(out) + 1, a, b, out, p)
    shape = tuple(t.shape)
    moved = slopes * reshape(t, shape=(*shape[:-1], 1, shape[-1]))
    return reduce_sum(moved, axis=(len(moved.shape) - 1,), keepdims=False)


@op(
    vjp={
        "a": lambda g, a, b, out, p: distance_pull(g, a, b, out, p, False),
        "b": lambda g, a, b, out, p: distance_pull(mT(g), b, a, mT(out), p, False),
    },
    jvp={
        "a": lambda t, a, b, out, p: distance_push(t, a, b, out, p, False),
        "b": lambda t, a, b, out, p: mT(distance_push(t, b, a, mT(out), p, False)),
    },
    broadcasts=True,
    promote="none",
    halves="single",
    batch="leading",
)
def cdist(a, b, *, p):
    """The p-norm distances between the rows of a and those of b."""
    return distances(a, b, p)


@op(
    vjp={
        "a": lambda g, a, b, out: distance_pull(g, a, b, out, 2, True),
        "b": lambda g, a, b, out: distance_pull(mT(g), b, a, mT(out), 2, True),
    },
    jvp={
        "a": lambda t, a, b, out: distance_push(t, a, b, out, 2, True),
        "b": lambda t, a, b, out: mT(distance_push(t, b, a, mT(out), 2, True)),
    },
    broadcasts=True,
    promote="none",
    halves="single",
    batch="leading",
    node="EuclideanDistBackward0",
)
def euclidean_distance(a, b):
    """The Euclidean distances between the rows of a and those of b, by one matrix product."""
    square = np.matmul(a, b.mT)
    square *= -2
    square += (a * a).sum(-1)[..., :, None]
    square += (b * b).sum(-1)[..., None, :]
    return np.sqrt(np.maximum(square, 0))
