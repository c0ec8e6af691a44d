"""Sorting and selecting along one axis: (values, indices). The gradient follows the indices.

NaN counts as the largest value, and equal values keep their order (or the order of their first
appearance), as PyTorch has it.
"""

from __future__ import annotations

import numpy as np

from .batching import Front
from .reduce import wide
from .scatter import along_key
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@helper
def scatter_back(g, index, axis, keepdims, shape):
    """The gradient of a selection along `axis`, at the selected places."""
    g = unreduced(g, shape, (axis,), keepdims)
    index = unreduced(index, shape, (axis,), keepdims)
    return scatter_sum(g, index, axis=axis, shape=shape)


@helper
def selected(t, index, axis, keepdims):
    """The tangents of a selection along `axis`."""
    picked = gather(t, unreduced(index, tuple(t.shape), (axis,), keepdims), axis=axis)
    return picked if keepdims else reshape(picked, shape=tuple(index.shape))


# The declaration shared by ops that reorder an axis, and by ops that reduce it to one element.
ORDERING = {
    "vjp": {"x": lambda g, out1, axis, x_shape: scatter_sum(
        g[0], out1, axis=axis, shape=x_shape)},
    "jvp": {"x": lambda t, out1, axis: (gather(t, out1, axis=axis), None)},
    "n_out": 2,
    "nondiff_out": (1,),
    "batch": Front(axes=("axis",)),
}  # fmt: skip
CHOOSING = {
    "vjp": {"x": lambda g, out1, axis, keepdims, x_shape: scatter_back(
        g[0], out1, axis, keepdims, x_shape)},
    "jvp": {"x": lambda t, out1, axis, keepdims: (selected(t, out1, axis, keepdims), None)},
    "n_out": 2,
    "nondiff_out": (1,),
    "batch": Front(axes=("axis",)),
}  # fmt: skip


def pick(x, index, axis, keepdims):
    """(x at `index`, index), where index has length 1 along `axis`."""
    values = x[along_key(index, axis)]
    if not keepdims:
        values, index = values.squeeze(axis), index.squeeze(axis)
    return values, index


# ---- the extremes --------------------------------------------------------------------------------


@op(**CHOOSING, node="MaxBackward0")
def max_along(x, *, axis, keepdims):
    """The largest element along `axis` and where it is (the first of several)."""
    return pick(x, np.argmax(wide(x), axis, keepdims=True), axis, keepdims)


@op(**CHOOSING, node="MinBackward0")
def min_along(x, *, axis, keepdims):
    """The smallest element along `axis` and where it is (the first of several)."""
    return pick(x, np.argmin(wide(x), axis, keepdims=True), axis, keepdims)


# ---- order ---------------------------------------------------------------------------------------


def order_of(x, axis, descending):
    """Indices that sort along `axis`, equal values in their original order."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    turned = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(turned, axis)


@op(**ORDERING)
def sort(x, *, axis, descending):
    """The elements along `axis` in order, and where each was."""
    index = order_of(wide(x), axis, descending)
    return x[along_key(index, axis)], index


@op(**ORDERING)
def topk(x, *, k, axis, largest):
    """The k largest (or smallest) elements along `axis` in order, and where each was."""
    y = wide(x)
    n = x.shape[axis]
    if k * 4 > n or n < 128:
        index = np.take(order_of(y, axis, largest), np.arange(k), axis)
    else:
        edge = n - k if largest else k - 1
        parts = np.argpartition(y, max(edge, 0), axis)
        some = np.arange(n - k, n) if largest else np.arange(k)
        index = np.sort(np.take(parts, some, axis), axis)
        candidates = y[along_key(index, axis)]
        index = np.take_along_axis(index, order_of(candidates, axis, largest), axis)
    return x[along_key(index, axis)], index


@op(**CHOOSING)
def kthvalue(x, *, k, axis, keepdims):
    """The k-th smallest element along `axis` (counted from 1) and where it is."""
    index = np.take(np.argpartition(wide(x), k - 1, axis), [k - 1], axis)
    return pick(x, index, axis, keepdims)


# ---- the middle ----------------------------------------------------------------------------------


def middle_index(x, axis, skip_nan):
    """Where the lower median along `axis` is: the first NaN if there is one, unless skipped."""
    n = x.shape[axis]
    order = np.argsort(x, axis, kind="stable")
    if x.dtype.kind != "f":
        return np.take(order, [(n - 1) // 2], axis)
    missing = np.isnan(x)
    count = np.add.reduce(missing, axis, keepdims=True, dtype=np.int64)
    if skip_nan:
        middle = np.maximum(n - count - 1, 0) // 2
    else:  # NaN sorts last and keeps its order: the first one stands right behind the numbers
        middle = np.where(count > 0, n - count, (n - 1) // 2)
    return np.take_along_axis(order, middle, axis)


@op(**CHOOSING, node="MedianBackward1")
def median_along(x, *, axis, keepdims):
    """The (lower) median along `axis` and where it is; NaN if there is one."""
    return pick(x, middle_index(wide(x), axis, False), axis, keepdims)


@op(**CHOOSING, node="NanmedianBackward1")
def nanmedian_along(x, *, axis, keepdims):
    """The (lower) median along `axis` of the elements that are numbers, and where it is."""
    return pick(x, middle_index(wide(x), axis, True), axis, keepdims)


@op(
    vjp={"x": lambda g, x, out: spread_to_ties(g, x, out, (0,), False)},
    jvp={"x": lambda t, x, out: mean_over_ties(t, x, out, (0,), False)},
    batch="loop",
    node="MedianBackward0",
)
def median_flat(x, *, skip_nan):
    """The (lower) median of a 1-D array; equal elements share the gradient."""
    if not x.size:
        return np.full((), np.nan, x.dtype)
    return x[middle_index(wide(x), 0, skip_nan)[0]]


# ---- the most frequent ---------------------------------------------------------------------------


@op(**CHOOSING)
def mode(x, *, axis, keepdims):
    """The most frequent element along `axis` (the smallest of several) and its last place."""
    y = np.moveaxis(wide(x), axis, -1)
    order = np.argsort(y, -1, kind="stable")
    y = np.take_along_axis(y, order, -1)
    n = y.shape[-1]
    new = np.ones(y.shape, bool)
    new[..., 1:] = y[..., 1:] != y[..., :-1]
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(new, place, 0), -1)
    last = np.argmax(place - first, -1)[..., None]  # the end of the first longest run
    index = np.moveaxis(np.take_along_axis(order, last, -1), -1, axis)
    return pick(x, index, axis, keepdims)


# ---- searching -----------------------------------------------------------------------------------


@op(nondiff=("edges", "values"), batch=Front())
def searchsorted(edges, values, *, right, dtype):
    """Where each value would be inserted into sorted edges (the last axis; others in step)."""
    side = "right" if right else "left"
    a, v = wide(edges), wide(values)
    if a.ndim == 1:
        return np.searchsorted(a, v, side).astype(dtype, copy=False)
    out = np.empty(v.shape, dtype)
    for place in np.ndindex(a.shape[:-1]):
        out[place] = np.searchsorted(a[place], v[place], side)
    return out


@op(nondiff=("x", "among"), batch="loop")
def isin(x, among, *, invert):
    """Whether each element of x is one of `among`."""
    return np.isin(wide(x), wide(among), invert=invert)


# ---- distinct values -----------------------------------------------------------------------------


@op(nondiff=("x",), n_out=3, batch="loop")
def unique(x, *, axis):
    """(sorted distinct values or slices, where each element went, how often each occurs)."""
    values, inverse, counts = np.unique(
        wide(x), return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    inverse = inverse.reshape(x.shape if axis is None else -1)
    return values.astype(x.dtype, copy=False), inverse, counts


@op(nondiff=("x",), n_out=3, batch="loop")
def unique_consecutive(x, *, axis):
    """(values or slices that differ from the one before, where each went, run lengths)."""
    rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
    n = len(rows)
    new = np.ones(n, bool)
    if n > 1:
        differs = rows[1:] != rows[:-1]
        new[1:] = differs.reshape(n - 1, -1).any(1)
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, n))
    values = rows[starts]
    inverse = np.cumsum(new) - 1
    if axis is None:
        return values, inverse.reshape(x.shape), counts
    return np.ascontiguousarray(np.moveaxis(values, 0, axis)), inverse, counts


# ---- counting ------------------------------------------------------------------------------------


@op(nondiff=("x",), batch="loop")
def bincount(x, *, minlength):
    """How often each non-negative integer occurs."""
    return np.bincount(x, minlength=minlength)


@op(nondiff=("x", "weights"), batch="loop")
def bincount_weighted(x, weights, *, minlength):
    """The total weight of each non-negative integer."""
    return np.bincount(x, wide(weights), minlength)


@op(nondiff=("x",), batch="loop")
def histc(x, *, bins, low, high):
    """How many elements fall into each of `bins` equal intervals of [low, high]."""
    y = wide(x).reshape(-1)
    y = y[(y >= low) & (y <= high)].astype(np.float64)
    place = ((y - low) / (high - low) * bins).astype(np.int64)
    counts = np.bincount(np.minimum(place, bins - 1), minlength=bins)
    return counts.astype(x.dtype)


@op(nondiff=("x", "edges"), batch="loop")
def histogram_cells(x, *edges, weighted):
    """Rows of x counted into the cells between edges (one array per column, then the weights)."""
    *edges, weights = edges if weighted else (*edges, None)
    inside = np.ones(len(x), bool)
    cell = np.zeros(len(x), np.int64)
    shape = []
    for column, e in zip(x.T, edges, strict=True):
        n = len(e) - 1
        place = np.searchsorted(e, column, "right") - 1
        place[column == e[-1]] = n - 1  # the last bin is closed
        inside &= (place >= 0) & (place < n) & ~np.isnan(column)
        cell = cell * n + place
        shape.append(n)
    kept = None if weights is None else weights[inside]
    return np.bincount(cell[inside], kept, int(np.prod(shape))).reshape(shape)
