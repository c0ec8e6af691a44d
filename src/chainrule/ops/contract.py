"""Matrix products. Half precision multiplies in float32 and rounds once."""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Lead
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def product(a, b):
    """a @ b for arrays of at least two dimensions."""
    if a.dtype.itemsize == 2 and a.dtype.kind in "fV":
        return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
    if a.ndim == 2 and b.ndim == 2 and a.shape[1] == b.shape[0]:
        return a.dot(b)
    return np.matmul(a, b)


@helper
def mT(x):
    """x with its last two dimensions exchanged."""
    n = len(x.shape)
    return transpose(x, perm=(*range(n - 2), n - 1, n - 2))


@helper
def mH(x):
    """The conjugate transpose of the last two dimensions."""
    return conj(mT(x))


@op(
    vjp={"a": lambda g, b: matmul(g, mH(b)), "b": lambda g, a: matmul(mH(a), g)},
    linear_in=("a", "b"),
    broadcasts=True,
    promote="none",
    batch=Lead(2),
    node="MmBackward0",
    lower=ir.contract,
)
def matmul(a, b):
    """The matrix product of the last two dimensions; the others broadcast."""
    return product(a, b)


@op(
    vjp={
        "x": lambda g, w: matmul(g, w),
        "w": lambda g, x: matmul(mT(g), x),
        "b": lambda g: reduce_sum(g, axis=(0,), keepdims=False),
    },
    jvp={
        "x": lambda t, w: matmul(t, mT(w)),
        "w": lambda t, x: matmul(x, mT(t)),
        "b": lambda t, out_shape: broadcast_to(t, shape=out_shape),
    },
    batch="loop",
    node="AddmmBackward0",
)
def linear2d(x, w, b):
    """x @ w.T + b for a matrix x: a dense layer in one node."""
    if x.dtype.itemsize == 2:
        return (product(x, w.T).astype(np.float32) + b.astype(np.float32)).astype(x.dtype)
    r = x.dot(w.T)
    r += b
    return r
