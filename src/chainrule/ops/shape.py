"""Shape and view ops: strict forms (full shapes, non-negative axes); `tensor/` normalises."""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(
    vjp={"x": lambda g, x_shape: reshape(g, shape=x_shape)},
    linear_in=("x",),
    batch=Front(shapes=("shape",)),
    view=True,
    lower=ir.move("reshape"),
)
def reshape(x, *, shape):
    """x with another shape; a view where strides allow it."""
    return x.reshape(shape)


@op(
    vjp={"x": lambda g, x_shape: reshape(g, shape=x_shape)},
    linear_in=("x",),
    batch=Front(shapes=("shape",)),
    view=True,
    lower=ir.move("reshape"),
)
def view(x, *, shape):
    """x with another shape, never a copy."""
    r = x.reshape(shape)
    if not x.flags.c_contiguous and r.size and not np.may_share_memory(r, x):
        raise ValueError("not viewable")
    return r


@op(
    vjp={"x": lambda g, perm: transpose(g, perm=inverse_permutation(perm))},
    linear_in=("x",),
    batch=lambda x, params: ({"perm": (0, *(p + 1 for p in params["perm"]))}),
    view=True,
    node="PermuteBackward0",
    lower=ir.move("permute"),
)
def transpose(x, *, perm):
    """x with its dimensions in the order `perm`."""
    return x.transpose(perm)


@helper
def inverse_permutation(perm):
    """The permutation that undoes perm."""
    inverse = [0] * len(perm)
    for i, p in enumerate(perm):
        inverse[p] = i
    return tuple(inverse)


@op(
    vjp={"x": lambda g, x_shape: unbroadcast(g, x_shape)},
    linear_in=("x",),
    batch="expand",
    view=True,
    node="ExpandBackward0",
    lower=ir.move("broadcast"),
)
def broadcast_to(x, *, shape):
    """x repeated along new or length-1 dimensions, without copying."""
    return broadcast_array(x, shape)


def broadcast_array(x, shape):
    """np.broadcast_to without its overhead where x is a single contiguous block."""
    if x.size == 1 and x.flags.c_contiguous and x.dtype.kind in "fiub" and len(shape):
        return np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    if x.shape == shape:
        return x[...]
    lead = len(shape) - x.ndim
    for have, want in zip(x.shape, shape[lead:], strict=True):
        if have != want and have != 1:
            raise ValueError(f"cannot expand {x.shape} to {shape}")
    strides = [0] * lead + [
        0 if have == 1 and want != 1 else s
        for have, want, s in zip(x.shape, shape[lead:], x.strides, strict=True)
    ]
    return np.lib.stride_tricks.as_strided(x, shape, strides)


@helper
def unbroadcast(g, shape):
    """Sum g over the dimensions along which a value of `shape` was repeated."""
    if tuple(g.shape) == shape:
        return g
    lead = len(g.shape) - len(shape)
    axes = tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and g.shape[i + lead] != 1
    )
    g = reduce_sum(g, axis=axes, keepdims=False)
    return g if tuple(g.shape) == shape else reshape(g, shape=shape)
