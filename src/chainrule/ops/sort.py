"""Sorting and selecting along one axis.

Each function is two ops: one that finds the indices, which has no derivative, and one that reads
the values there (`sort_at`, `max_at`...: gather under PyTorch's node name), whose gradient follows
the indices. NaN counts as the largest value, and equal values keep their order.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front
from .halves import wide
from .kernels import fast
from .layout import in_order
from .masks import dynamic
from .scatter import along_key
from .schema import helper, op
from .shape import in_c_order

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@helper
def scatter_back(g, index, axis, keepdims, shape):
    """The gradient of a selection along `axis`, at the selected places."""
    g = unreduced(g, shape, (axis,), keepdims)
    index = unreduced(index, shape, (axis,), keepdims)
    return scatter_sum(g, index, axis=axis, shape=shape)


@helper
def selected(x, index, axis, keepdims):
    """x at one index along `axis` for each of the other places."""
    picked = gather(x, unreduced(index, tuple(x.shape), (axis,), keepdims), axis=axis)
    return picked if keepdims else reshape(picked, shape=tuple(index.shape))


def read_line(x, index, *, axis):
    """x along `axis` at the places of an ordering."""
    return x[along_key(index, axis)]


def read_one(x, index, *, axis, keepdims):
    """x along `axis` at one place."""
    if keepdims:
        return x[along_key(index, axis)]
    shape = index.shape
    index = index.reshape((*shape[:axis], 1, *shape[axis:]))
    return x[along_key(index, axis)].reshape(shape)


for _name, _node in (
    ("sort_at", "SortBackward0"), ("topk_at", "TopkBackward0"),
    ("cummax_at", "CummaxBackward0"), ("cummin_at", "CumminBackward0"),
):  # fmt: skip
    op(
        name=_name,
        node=_node,
        aten=(_name.removesuffix("_at"),),
        vjp={"x": lambda g, index, axis, x_shape: scatter_sum(
            g, index, axis=axis, shape=x_shape)},
        linear_in=("x",),
        nondiff=("index",),
        batch=Front(axes=("axis",)),
    )(read_line)  # fmt: skip

for _name, _node in (
    ("max_at", "MaxBackward0"), ("min_at", "MinBackward0"), ("median_at", "MedianBackward1"),
    ("nanmedian_at", "NanmedianBackward1"), ("mode_at", "ModeBackward0"),
    ("kthvalue_at", "KthvalueBackward0"),
):  # fmt: skip
    op(
        name=_name,
        node=_node,
        aten=(_name.removesuffix("_at"),),
        vjp={"x": lambda g, index, axis, keepdims, x_shape: scatter_back(
            g, index, axis, keepdims, x_shape)},
        linear_in=("x",),
        nondiff=("index",),
        batch=Front(axes=("axis",)),
        lower=ir.compose(
            lambda x, index, *, axis, keepdims: picked_once(x, index, axis, keepdims)
        ),
    )(read_one)  # fmt: skip


def squeezed(index, axis, keepdims):
    """An index of length 1 along `axis`, without that axis unless it is kept."""
    return in_order(index if keepdims else index.squeeze(axis))


# ---- order ---------------------------------------------------------------------------------------


def part_of(x, axis, piece):
    """x[..., piece, ...] with the piece at `axis`."""
    return x[(slice(None),) * axis + (piece,)]


_PLACE = 0xFFFFFFFF  # of a key: where its element is
_MANY = 128  # elements that are sorted sooner by keys


def keys_along(x, axis, descending):
    """Whole numbers, the axis last, whose order is that of x along it: an element's rank above its
    place, so that no two are equal. NumPy sorts them thirty times as fast as it finds the order of
    floats; None where there are none."""
    if x.size < _MANY:
        return None
    if x.dtype.kind == "f" and x.dtype.itemsize == 4:
        return fast.order_keys(np.ascontiguousarray(x.swapaxes(axis, -1)), descending)
    if x.dtype.kind not in "iub":
        return None
    low, high = int(np.minimum.reduce(x, None)), int(np.maximum.reduce(x, None))
    if high - low > _PLACE or max(-low, high) >= 1 << 62:
        return None
    x = x.swapaxes(axis, -1).astype(np.int64)
    keys = ((high - x if descending else x - low).view(np.uint64) << np.uint64(32)) | np.arange(
        x.shape[-1], dtype=np.uint64
    )
    return np.ascontiguousarray(keys)


def places_of_keys(keys, axis):
    """Where the elements of keys are, the axis back in its place."""
    return in_c_order((keys & _PLACE).view(np.int64).swapaxes(axis, -1))


def order_of(x, axis, descending):
    """Indices that sort along `axis`, equal values in their original order."""
    keys = keys_along(x, axis, descending)
    if keys is not None:
        keys.sort(-1)
        return places_of_keys(keys, axis)
    if not descending:
        return x.argsort(axis, kind="stable")
    backwards = slice(None, None, -1)
    turned = part_of(x, axis, backwards).argsort(axis, kind="stable")
    return x.shape[axis] - 1 - part_of(turned, axis, backwards)


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def argsort(x, *, axis, descending):
    """Where the elements along `axis` are, in order."""
    return order_of(wide(x), axis, descending)


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def top_places(x, *, k, axis, largest):
    """Where the k largest (or smallest) elements along `axis` are, in order."""
    y = wide(x)
    n = x.shape[axis]
    keys = keys_along(y, axis, largest)
    if keys is not None:
        if 8 * k < n and k:
            keys.partition(k - 1, -1)
            keys = np.ascontiguousarray(keys[..., :k])
        keys.sort(-1)
        return places_of_keys(keys[..., :k], axis)
    if k * 4 > n or n < 128:
        return in_order(part_of(order_of(y, axis, largest), axis, slice(0, k)))
    parts = y.argpartition(max(n - k if largest else k - 1, 0), axis)
    some = part_of(parts, axis, slice(n - k, n) if largest else slice(0, k))
    index = np.sort(some, axis)
    order = order_of(y[along_key(index, axis)], axis, largest)
    return in_order(index[along_key(order, axis)])


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def kth_place(x, *, k, axis, keepdims):
    """Where the k-th smallest element along `axis` is (counted from 1)."""
    keys = keys_along(wide(x), axis, False)
    if keys is not None:
        keys.partition(k - 1, -1)
        return squeezed(places_of_keys(keys[..., k - 1 : k], axis), axis, keepdims)
    order = wide(x).argpartition(k - 1, axis)
    return squeezed(part_of(order, axis, slice(k - 1, k)), axis, keepdims)


# ---- the middle ----------------------------------------------------------------------------------


def middle_index(x, axis, skip_nan):
    """Where the lower median along `axis` is: the first NaN if there is one, unless skipped."""
    n = x.shape[axis]
    if n and not (x.dtype.kind == "f" and np.isnan(np.add.reduce(x, None))):
        keys = keys_along(x, axis, False)
        if keys is not None:
            keys.partition((n - 1) // 2, -1)
            return places_of_keys(keys[..., (n - 1) // 2 : (n + 1) // 2], axis)
    order = order_of(x, axis, False)
    if x.dtype.kind != "f":
        return part_of(order, axis, slice((n - 1) // 2, (n + 1) // 2))
    missing = np.isnan(x)
    count = np.add.reduce(missing, axis, keepdims=True, dtype=np.int64)
    if skip_nan:
        middle = np.maximum(n - count - 1, 0) // 2
    else:  # NaN sorts last and keeps its order: the first one stands right behind the numbers
        middle = np.where(count > 0, n - count, (n - 1) // 2)
    return order[along_key(middle, axis)]


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def median_place(x, *, axis, keepdims, skip_nan):
    """Where the (lower) median along `axis` is."""
    return squeezed(middle_index(wide(x), axis, skip_nan), axis, keepdims)


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


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def mode_place(x, *, axis, keepdims):
    """The last place of the most frequent element along `axis` (the smallest of several)."""
    y = np.moveaxis(wide(x), axis, -1)
    order = y.argsort(-1, kind="stable")
    y = np.take_along_axis(y, order, -1)
    new = np.ones(y.shape, bool)
    new[..., 1:] = y[..., 1:] != y[..., :-1]
    place = np.arange(y.shape[-1])
    first = np.maximum.accumulate(np.where(new, place, 0), -1)
    last = np.argmax(place - first, -1)[..., None]  # the end of the first longest run
    index = np.moveaxis(np.take_along_axis(order, last, -1), -1, axis)
    return squeezed(index, axis, keepdims)


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


@op(nondiff=("x",), n_out=3, batch=dynamic("unique"), shaped_by_values=True)
def unique(x, *, axis):
    """Sorted distinct values or slices, where each element went, how often each occurs."""
    values, inverse, counts = np.unique(
        wide(x), return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    inverse = inverse.reshape(x.shape if axis is None else -1)
    return values.astype(x.dtype, copy=False), inverse, counts


@op(nondiff=("x",), n_out=3, batch=dynamic("unique_consecutive"), shaped_by_values=True)
def unique_consecutive(x, *, axis):
    """Values or slices that differ from the one before, where each went, run lengths."""
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


@op(nondiff=("x",), batch="loop", shaped_by_values=True)
def bincount(x, *, minlength):
    """How often each non-negative integer occurs."""
    return np.bincount(x, minlength=minlength)


@op(nondiff=("x", "weights"), batch="loop", shaped_by_values=True)
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
