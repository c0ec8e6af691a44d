"""Indexing: basic (views) and by integer tensors. `tensor/indexing.py` splits a user's index."""

from __future__ import annotations

import numpy as np

from .. import ir
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(
    vjp={"x": lambda g, x_shape, index: slice_fill(g, index=index, shape=x_shape)},
    linear_in=("x",),
    batch=lambda x, params: {"index": (slice(None), *params["index"])},
    view=True,
    node="SliceBackward0",
    lower=ir.move("slice"),
)
def slice_view(x, *, index):
    """x[index] for a tuple of ints, slices and None: a view."""
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
    batch="loop",
    node="IndexBackward0",
    lower=ir.compose(
        lambda x, *indices, dims: (
            reduce_sum(where(chosen(x.shape, *indices), x, 0), axis=(1,), keepdims=False)
            if one_per_row(x.shape, indices, dims)
            else None
        )
    ),
)
def index_get(x, *indices, dims):
    """x at integer arrays for the dimensions `dims`, as NumPy's advanced indexing."""
    return x[full_key(indices, dims, x.ndim)]


@op(
    vjp={"g": lambda g, indices, dims: index_get(g, *indices, dims=dims)},
    jvp={"g": lambda t, indices, dims, shape: index_sum(t, *indices, dims=dims, shape=shape)},
    nondiff=("indices",),
    batch="loop",
    lower=ir.compose(
        lambda g, *indices, dims, shape: (
            where(chosen(shape, *indices), reshape(g, shape=(shape[0], 1)), 0)
            if one_per_row(shape, indices, dims)
            else None
        )
    ),
)
def index_sum(g, *indices, dims, shape):
    """Zeros of `shape` with g added at the indexed places: the transpose of index_get."""
    out = np.zeros(shape, g.dtype)
    np.add.at(out, full_key(indices, dims, len(shape)), g)
    return out


@op(
    vjp={
        "x": lambda g, indices, dims, accumulate: (
            g if accumulate else index_put(g, zero_of(g), *indices, dims=dims, accumulate=False)
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


@helper
def zero_of(g):
    """A 0-dim zero of g's type and world."""
    return reduce_sum(g, axis=tuple(range(len(g.shape))), keepdims=False) * 0.0


@op(
    vjp={
        "base": lambda g, chain: write_view(g, zero_like_view(g, chain), chain=chain),
        "value": lambda g, chain: follow(g, chain),
    },
    linear_in="all",
    batch="loop",
    node="CopySlices",
)
def write_view(base, value, *, chain):
    """base with `value` written into the view that the ops in `chain` select."""
    out = base.copy(order="K")
    view = through(out, chain)
    if np.may_share_memory(view, out):
        view[...] = value
        return out
    # This layout cannot be viewed the same way: follow element numbers instead.
    numbers = through(np.arange(base.size).reshape(base.shape), chain)
    out = np.ascontiguousarray(base).copy()
    out.reshape(-1)[numbers] = value
    return out


def through(array, chain):
    """Apply a chain of view ops to an array."""
    from .schema import TABLE

    for name, params in chain:
        array = TABLE[name].forward(array, **dict(params))
    return array


@helper
def zero_like_view(g, chain):
    """Zeros of the shape the chain selects from g."""
    return follow(g, chain) * 0.0


@op(
    vjp={"x": lambda g, x_shape, chain: view_fill(g, chain=chain, shape=x_shape)},
    linear_in=("x",), batch="loop",
)  # fmt: skip
def view_chain(x, *, chain):
    """The part of x that a chain of view ops selects, as a copy."""
    return through(x, chain).copy()


@op(
    vjp={"g": lambda g, chain: view_chain(g, chain=chain)},
    linear_in=("g",), batch="loop",
)  # fmt: skip
def view_fill(g, *, chain, shape):
    """Zeros of `shape` with g where the chain selects (added where it selects twice)."""
    numbers = through(np.arange(int(np.prod(shape))).reshape(shape), chain)
    out = np.zeros(int(np.prod(shape)), g.dtype)
    np.add.at(out, numbers, g)
    return out.reshape(shape)


@helper
def follow(g, chain):
    """The part of g that a chain of view ops selects."""
    return view_chain(g, chain=chain)
