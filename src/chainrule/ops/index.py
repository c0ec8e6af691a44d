"""Indexing: basic (views) and by integer tensors. `tensor/indexing.py` splits a user's index."""

from __future__ import annotations

import math

import numpy as np

from .. import ir
from .embedding import rows_by_number, sum_by_number
from .kernels import fast
from .result_types import as_first
from .scatter import add_at
from .schema import helper, op
from .shape import in_c_order

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(
    vjp={"x": lambda g, x_shape, index: slice_fill(g, index=index, shape=x_shape)},
    linear_in=("x",),
    batch=lambda x, params: {"index": (slice(None), *params["index"])},
    view=True,
    node="SliceBackward0",
    lower=ir.move("slice"),
    inline="x_x[(*index, ...)]",
    aten=("slice",),
)
def slice_view(x, *, index):
    """x[index] for a tuple of ints, slices and None: a view."""
    return x[(*index, ...)]


@op(
    vjp={"x": lambda g, x_shape, index: slice_fill(g, index=index, shape=x_shape)},
    linear_in=("x",),
    batch=lambda x, params: {"index": (slice(None), *params["index"])},
    view=True,
    node="SelectBackward0",
    lower=ir.move("slice"),
    inline="x_x[(*index, ...)]",
    aten=("select",),
)
def select_view(x, *, index):
    """x[index] for a tuple of full slices and one int: a view, with PyTorch's name for it."""
    return x[(*index, ...)]


@op(
    vjp={"g": lambda g, index: slice_view(g, index=index)},
    linear_in=("g",),
    batch=lambda g, params: {
        "index": (slice(None), *params["index"]), "shape": (len(g), *params["shape"])},
)  # fmt: skip
def slice_fill(g, *, index, shape):
    """Zeros of `shape` with g at `index`: the transpose of slice_view."""
    out = np.zeros(shape, g.dtype)
    out[index] = g
    return out


def full_key(indices, dims, ndim):
    """An index tuple with the arrays at `dims` and full slices elsewhere."""
    key = [slice(None)] * ndim
    for d, i in zip(dims, indices, strict=True):
        key[d] = i
    return tuple(key)


@op(
    vjp={"x": lambda g, indices, dims, x_shape: index_sum(g, *indices, dims=dims, shape=x_shape)},
    jvp={"x": lambda t, indices, dims: index_get(t, *indices, dims=dims)},
    nondiff=("indices",),
    batch=lambda values, batched, size, params: batched_get(
        values[0], values[1:], batched, params["dims"]
    ),
    node="IndexBackward0",
    lower=ir.compose(lambda x, *indices, dims: picked(x, indices, dims)),
    aten=("index",),
)
def index_get(x, *indices, dims):
    """x at integer arrays for the dimensions `dims`, as NumPy's advanced indexing."""
    rows = joint_rows(indices, dims, x.shape) if indices[0].size > _SMALL else None
    if rows is not None:
        found = rows_by_number(x.reshape(-1, *x.shape[len(dims) :], 1), rows)
        if found is not None:
            return found.reshape(*rows.shape, *x.shape[len(dims) :])
    return in_c_order(x[full_key(indices, dims, x.ndim)])


@op(
    vjp={"g": lambda g, indices, dims: index_get(g, *indices, dims=dims)},
    jvp={"g": lambda t, indices, dims, shape: index_sum(t, *indices, dims=dims, shape=shape)},
    nondiff=("indices",),
    batch=lambda values, batched, size, params: batched_sum(
        values[0], values[1:], batched, size, params["dims"], params["shape"]
    ),
    lower=ir.compose(lambda g, *indices, dims, shape: placed(g, indices, dims, shape)),
)
def index_sum(g, *indices, dims, shape):
    """Zeros of `shape` with g added at the indexed places: the transpose of index_get."""
    rows = joint_rows(indices, dims, shape) if g.size and g.dtype.char in "fd" else None
    if rows is not None:
        count = math.prod(shape[: len(dims)])
        parts = in_c_order(g).reshape(rows.size, *shape[len(dims) :])
        done = sum_by_number(parts, rows.reshape(-1), count)
        if done is not None:
            return done.reshape(shape)
    out = np.zeros(shape, g.dtype)
    add_at(out, places_of(indices, dims, shape), g)
    return out


def joint_rows(indices, dims, shape):
    """Index arrays of one shape for the first dimensions as numbers of what these have in all;
    None where they are others, or out of range."""
    if dims != tuple(range(len(dims))) or any([i.shape != indices[0].shape for i in indices]):
        return None
    rows, n = in_c_order(indices[0]), shape[0]
    for i, m in zip(indices[1:], shape[1:], strict=False):
        rows = fast.joint_numbers(rows, in_c_order(i), n, m)
        if rows is None:
            return None
        n *= m
    return rows


_SMALL = 64  # places that NumPy finds sooner than two more calls
_FEW = 1 << 12  # index arrays of which one division each costs less than more calls


def places_of(indices, dims, shape):
    """The flat positions that an advanced index selects from an array of `shape`."""
    if len(dims) == len(shape):
        if all([i.size <= _FEW for i in indices]) and 0 not in shape:
            at = indices[0] % shape[0]  # the remainder counts negative ones from the end
            for i, n in zip(indices[1:], shape[1:], strict=True):
                at = at * n + i % n
            return at
        wrapped = [np.where(i < 0, i + n, i) for i, n in zip(indices, shape, strict=True)]
        return np.ravel_multi_index(np.broadcast_arrays(*wrapped), shape)
    size = 1
    for n in shape:
        size *= n
    return np.arange(size).reshape(shape)[full_key(indices, dims, len(shape))]


@op(
    vjp={
        "x": lambda g, indices, dims, accumulate: (
            g if accumulate else index_erase(g, *indices, dims=dims)
        ),
        "v": lambda g, indices, dims, v_shape: unbroadcast(
            index_get(g, *indices, dims=dims), v_shape
        ),
    },
    jvp=lambda t_x, t_v, indices, dims, accumulate: index_put(
        t_x, t_v, *indices, dims=dims, accumulate=accumulate
    ),
    nondiff=("indices",),
    batch="loop",
    node="IndexPutBackward0",
    refuses_values="iu",
    types=as_first,
)
def index_put(x, v, *indices, dims, accumulate):
    """x with v written (or added) at the indexed places."""
    out = x.copy()
    key = full_key(indices, dims, x.ndim)
    if accumulate:
        np.add.at(out, key, v)
    else:
        out[key] = v
    return out


@op(
    vjp={"x": lambda g, indices, dims: index_erase(g, *indices, dims=dims)},
    jvp="same",
    nondiff=("indices",),
    batch="loop",
)
def index_erase(x, *indices, dims):
    """x with zeros at the indexed places."""
    out = x.copy()
    out[full_key(indices, dims, x.ndim)] = 0
    return out


# ---- advanced indexing of a batch ----------------------------------------------------------------


@helper
def aligned_indices(indices, batched):
    """Index arrays with their batch dimensions first and ranks equal behind them; that rank."""
    rank = max(len(i.shape) - b for i, b in zip(indices, batched, strict=True))
    out = []
    for i, b in zip(indices, batched, strict=True):
        if b and len(i.shape) - 1 < rank:
            fill = (1,) * (rank + 1 - len(i.shape))
            i = reshape(i, shape=(i.shape[0], *fill, *i.shape[1:]))
        out.append(i)
    return out, rank


@helper
def moved_block(x, source, count, target):
    """x with its `count` dimensions from `source` on moved to start at `target`."""
    if source == target or not count:
        return x
    block = list(range(source, source + count))
    rest = [d for d in range(len(x.shape)) if d not in block]
    return transpose(x, perm=(*rest[:target], *block, *rest[target:]))


@helper
def compact_block(x, source, count, target):
    """moved_block laid out in C order, as one example's result is: what reshapes to a view of the
    one must reshape to a view of the other."""
    return x if source == target else clone_contiguous(moved_block(x, source, count, target))


@helper
def adjacent(dims):
    """Whether indexed dimensions follow each other: then NumPy leaves them in their place."""
    return dims == tuple(range(dims[0], dims[0] + len(dims)))


@helper
def batched_get(x, indices, batched, dims):
    """index_get where x, some indices or both have a batch dimension in front."""
    place = dims[0] if adjacent(dims) else 0
    indices, rank = aligned_indices(indices, batched[1:])
    if not any(batched[1:]):
        out = index_get(x, *indices, dims=tuple(d + 1 for d in dims))
        return out if adjacent(dims) else compact_block(out, rank, 1, 0)
    if not batched[0]:
        return compact_block(index_get(x, *indices, dims=dims), place, 1, 0)
    line = batch_offsets(indices[batched[1:].index(True)], length=1)
    out = index_get(x, line, *indices, dims=(0, *(d + 1 for d in dims)))
    return compact_block(out, 1, rank, 1 + place)


@helper
def batched_sum(g, indices, batched, size, dims, shape):
    """index_sum where g, some indices or both have a batch dimension in front."""
    place = dims[0] if adjacent(dims) else 0
    indices, rank = aligned_indices(indices, batched[1:])
    if not batched[0]:
        g = broadcast_to(g, shape=(size, *g.shape))
    later = tuple(d + 1 for d in dims)
    if not any(batched[1:]):
        g = g if adjacent(dims) else moved_block(g, 0, 1, rank)
        return index_sum(g, *indices, dims=later, shape=(size, *shape))
    line = batch_offsets(indices[batched[1:].index(True)], length=1)
    g = moved_block(g, 1 + place, rank, 1)
    return index_sum(g, line, *indices, dims=(0, *later), shape=(size, *shape))
