"""Masks: filling and reading where they hold, and ops whose result's size depends on the data."""

from __future__ import annotations

import numpy as np

from .. import ir
from .layout import in_order
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(
    vjp={
        "x": lambda g, hit: where(hit, 0.0, g),
        "value": lambda g, hit: where(hit, g, 0.0),
    },
    jvp=lambda t_x, t_value, hit: masked_fill(t_x, hit, t_value),
    nondiff=("hit",),
    broadcasts=True,
    promote="none",
    node="MaskedFillBackward1",
    lower=ir.pointwise(lambda x, hit, value: ir.select(hit, value, x)),
)
def masked_fill(x, hit, value):
    """x with `value` where the mask `hit` holds."""
    return in_order(np.where(hit, value, x))


@op(
    vjp={"x": lambda g, hit: where(hit, 0.0, g)},
    jvp="same",
    nondiff=("hit",),
    broadcasts=True,
    promote="none",
    node="MaskedFillBackward0",
    lower=ir.pointwise(lambda x, hit, *, value: ir.select(hit, value, x)),
    aten=("masked_fill",),
)
def masked_fill_number(x, hit, *, value):
    """x with a number where the mask `hit` holds."""
    x = np.asarray(x)  # a plan may have a number in place of a uniform array
    if x.shape != hit.shape:
        return in_order(np.where(hit, np.asarray(value, x.dtype), x))
    out = x.copy()
    np.copyto(out, value, where=hit, casting="unsafe")
    return out


@op(
    vjp={"x": lambda g, hit, x_shape: unmasked(g, hit, shape=x_shape)},
    linear_in=("x",),
    nondiff=("hit",),
    batch=lambda values, batched, size, params: batched_mask(values, batched),
    node="IndexBackward0",
    aten=("index",),
    shaped_by_values=True,
)
def masked_get(x, hit):
    """The parts of x where the mask of its first dimensions holds."""
    return x[hit]


@op(
    vjp={"g": lambda g, hit: masked_get(g, hit)},
    linear_in=("g",),
    nondiff=("hit",),
    batch=lambda values, batched, size, params: batched_unmask(
        values, batched, size, params["shape"]
    ),
)
def unmasked(g, hit, *, shape):
    """Zeros of `shape` with the parts of g where the mask holds: transpose of masked_get."""
    out = np.zeros(shape, g.dtype)
    out[hit] = g
    return out


@helper
def refuse_dynamic(name):
    """Examples of one batch must have results of one shape."""
    raise RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to "
        f"vmap over {name}: the size of its result depends on the values of each example. Use "
        "torch.where to choose per example."
    )


@helper
def batched_mask(values, batched):
    """masked_get where x has a batch dimension in front."""
    x, hit = values
    if batched[1]:
        refuse_dynamic("indexing with a boolean mask")
    picked = masked_get(moved_block(x, 0, 1, len(hit.shape)), hit)
    return moved_block(picked, 1, 1, 0)


@helper
def batched_unmask(values, batched, size, shape):
    """unmasked where g has a batch dimension in front."""
    g, hit = values
    if batched[1]:
        refuse_dynamic("indexing with a boolean mask")
    count = len(hit.shape)
    whole = unmasked(moved_block(g, 0, 1, 1), hit, shape=(*shape[:count], size, *shape[count:]))
    return moved_block(whole, count, 1, 0)


def dynamic(name):
    """The batch rule of an op whose result's size depends on the data."""
    return lambda values, batched, size, params: refuse_dynamic(name)


@op(nondiff=("x",), batch=dynamic("nonzero"), shaped_by_values=True)
def nonzero(x):
    """The coordinates of the nonzero elements, one row for each."""
    if not x.ndim:
        return np.zeros((int(x != 0), 0), np.int64)
    return np.argwhere(x)


@op(nondiff=("x",), n_out=None, batch=dynamic("nonzero or a boolean mask"), shaped_by_values=True)
def nonzero_parts(x):
    """The coordinates of the nonzero elements, one array per dimension."""
    return np.nonzero(x)


@op(nondiff=("repeats",), batch="loop", shaped_by_values=True)
def repeat_positions(repeats):
    """Position k as often as repeats[k] says."""
    return np.repeat(np.arange(repeats.size), repeats)
