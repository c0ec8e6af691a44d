"""Matrix products. Half precision multiplies in float32 and rounds once.

`mm`, `bmm` and `matmul` compute the same and differ in the name of their node, as in PyTorch.
Their forwards take leading dimensions that broadcast, so that each batches as itself.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from . import flops
from .batching import Plain
from .dtypes import F32, F64
from .halves import rounded, single
from .kernels import LARGE, fast, large_product
from .products import (
    LONG,
    ProductError,
    in_blocks,
    mismatched,
    mismatched_vector,
    multiply_halves,
    product,
    product_of_two,
)
from .reduce import ones_vector, reduce_sum
from .result_types import contracted
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


# ---- helpers of the rules ------------------------------------------------------------------------


@helper
def mT(x):
    """x with its last two dimensions exchanged."""
    n = len(x.shape)
    if n == 2:
        return transpose(x, perm=(1, 0))
    return transpose(x, perm=(*range(n - 2), n - 1, n - 2))


@helper
def mH(x):
    """The conjugate transpose of the last two dimensions."""
    return conj(mT(x))


@helper
def column(x):
    """x with a last dimension of length 1."""
    return reshape(x, shape=(*x.shape, 1))


@helper
def row(x):
    """x with a dimension of length 1 before its last."""
    return reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1]))


@helper
def last_dropped(x):
    """x without its last dimension, which has length 1."""
    return reshape(x, shape=tuple(x.shape[:-1]))


@helper
def as_rows(x):
    """x as a matrix: all dimensions but the last as one."""
    rows = 1
    for n in x.shape[:-1]:
        rows *= n
    return reshape(x, shape=(rows, x.shape[-1]))


@helper
def right_factor_gradient(g, a, b_shape):
    """The gradient of b in a @ b; one product where b is a single matrix for many."""
    if len(b_shape) == 2 and len(a.shape) > 2:
        return mm(mH(as_rows(a)), as_rows(g))
    return matmul(mH(a), g)


@helper
def batched_mm(values, batched):
    """mm of a batch: one larger product where all examples share the second matrix."""
    a, b = values
    if not batched[0] or batched[1]:
        return matmul(a, b)
    size, rows, inner = a.shape
    found = mm(reshape(a, shape=(size * rows, inner)), b)
    return reshape(found, shape=(size, rows, found.shape[1]))


@helper
def batched_linear(values, batched):
    """A dense layer of a batch; the bias may be left out."""
    x, w, bias = values[0], values[1], values[2:]
    if batched[0] and not any(batched[1:]):
        size, rows, inner = x.shape
        x = reshape(x, shape=(size * rows, inner))
        found = linear2d(x, w, bias[0]) if bias else linear2d_no_bias(x, w)
        return reshape(found, shape=(size, rows, found.shape[1]))
    found = matmul(x, mT(w))
    if bias and batched[2]:
        return found + reshape(bias[0], shape=(bias[0].shape[0], 1, bias[0].shape[1]))
    return found + bias[0] if bias else found


@helper
def batched_mv(values, batched):
    """mv of a batch: a product of matrices where all examples share the matrix."""
    a, x = values
    return last_dropped(matmul(a, column(x))) if batched[0] else mm(x, mT(a))


@helper
def scaled_sum(c, beta, r, alpha):
    """beta * c + alpha * r; a zero beta ignores c."""
    r = scaled(r, alpha)
    return r if beta == 0 else scaled(c, beta) + r


@helper
def _added_in_ops(c, r, beta, alpha):
    """As scaled_sum, for code that rounds after every op: half precision is rounded once."""
    return None if r.dtype.itemsize == 2 else scaled_sum(c, beta, r, alpha)


@helper
def _dot_in_ops(a, b):
    """Half precision is summed in single, which a loop over its elements would not do."""
    return None if a.dtype.itemsize == 2 else reduce_sum(a * b, axis=(-1,), keepdims=False)


@helper
def scaled(x, factor):
    """x times a Python number; x itself when that is 1."""
    return x if factor == 1 else x * factor


# ---- products ------------------------------------------------------------------------------------


# Up to this size a product costs as much as the calls around it: rules on arrays make few.
_SMALL = 1 << 12
# A product with so few results in a row, from so many elements on, has a kernel of its own.
_FEW, _MANY = 16, 1 << 13


def _right_gradient(g, a, b_fortran):
    if a.size > _SMALL:
        return mm(g.T, a).T if b_fortran else mm(a.T, g)
    return g.T.dot(a).T if b_fortran else a.T.dot(g)


def _bias_gradient(g):
    if g.size > _SMALL:
        return reduce_sum(g, axis=(0,), keepdims=False)
    return ones_vector(len(g), g.dtype).dot(g)


# The gradients of a dense layer with real weights.
_LAYER = {
    "x": lambda g, w: g.dot(w) if g.size <= _SMALL else mm(g, w),
    "w": lambda g, x: g.T.dot(x) if x.size <= _SMALL else mm(g.T, x),
}


@op(
    vjp={
        "a": lambda g, b: mm(g, mH(b)),
        # Where b is a transposed view, so is its gradient: the transpose below it costs nothing.
        "b": lambda g, a, b_fortran: mT(mm(mT(g), conj(a))) if b_fortran else mm(mH(a), g),
    },
    arrays={
        "a": lambda g, b: g.dot(b.T) if g.size <= _SMALL else mm(g, b.T),
        "b": _right_gradient,
    },
    linear_in=("a", "b"),
    batch=lambda values, batched, size, params: batched_mm(values, batched),
    lower=ir.contract,
    halves="products",
    work=flops.product("mm", "mm"),
)
def mm(a, b):
    """The product of two matrices."""
    dtype = a.dtype
    if dtype is b.dtype and (dtype is F32 or dtype is F64) and a.ndim == 2 and b.ndim == 2:
        try:
            size = a.size
            if size * b.shape[1] >= LARGE or (size > LONG and a.shape[1] > LONG):
                return product_of_two(a, b)
            return a.dot(b) if size <= _MANY else rows_by_rows(a, b.T)
        except ValueError:
            raise mismatched(a, b) from None
    return product(a, b)


@op(
    vjp={"a": lambda g, b: bmm(g, mH(b)), "b": lambda g, a: bmm(mH(a), g)},
    linear_in=("a", "b"),
    broadcasts=True,
    promote="none",
    batch="leading",
    lower=ir.contract,
    halves="products",
    work=flops.product("bmm", "bmm"),
)
def bmm(a, b):
    """The products of two batches of matrices."""
    return product(a, b)


@op(
    vjp={
        "a": lambda g, b: matmul(g, mH(b)),
        "b": lambda g, a, b_shape: right_factor_gradient(g, a, b_shape),
    },
    linear_in=("a", "b"),
    broadcasts=True,
    promote="none",
    batch="leading",
    node="UnsafeViewBackward0",
    lower=ir.contract,
    halves="products",
    aten=("matmul", "bmm"),
    work=flops.product("mm", "mm"),
)
def matmul(a, b):
    """The matrix product of the last two dimensions; the others broadcast."""
    return product(a, b)


@op(
    vjp={
        "a": lambda g, x: column(g) * conj(row(x)),
        "x": lambda g, a: mv(mH(a), g),
    },
    linear_in=("a", "x"),
    batch=lambda values, batched, size, params: batched_mv(values, batched),
    lower=ir.compose(lambda a, x: last_dropped(matmul(a, column(x)))),
)
def mv(a, x):
    """The product of a matrix and a vector."""
    if a.ndim != 2 or x.ndim != 1 or a.shape[1] != x.shape[0]:
        raise mismatched_vector(a, x)
    if a.dtype is x.dtype and a.dtype.kind in "fc" and a.dtype.itemsize > 2:
        if len(x) > LONG and a.dtype is F32:
            return in_blocks(np.dot, a, x, LONG // 2).astype(F32)
        return a.dot(x)
    return product(a, x[:, None])[:, 0]


@op(
    vjp={
        "a": lambda g, b: column(g) * conj(b),
        "b": lambda g, a: column(g) * conj(a),
    },
    linear_in=("a", "b"),
    broadcasts=True,
    promote="none",
    batch="leading",
    lower=ir.compose(lambda a, b: _dot_in_ops(a, b)),
)
def dot(a, b):
    """The sum of the products of two vectors' elements."""
    if a.ndim == 1 and b.ndim == 1 and a.dtype.kind in "fc" and a.dtype.itemsize > 2:
        if len(a) > 2 * LONG and a.dtype is F32 and b.dtype is F32:
            return in_blocks(np.dot, a, b, 2 * LONG).astype(F32)
        return a.dot(b)
    return product(a[..., None, :], b[..., :, None])[..., 0, 0]


@op(
    vjp={"a": lambda g, b: column(conj(g)) * b, "b": lambda g, a: column(g) * a},
    jvp={"a": lambda t, b: dot(conj(t), b), "b": lambda t, a: dot(conj(a), t)},
    broadcasts=True,
    promote="none",
    batch="leading",
)
def vdot(a, b):
    """The sum of the products of conj(a) and b."""
    return dot(np.conjugate(a) if a.dtype.kind == "c" else a, b)


# ---- products added to something -----------------------------------------------------------------


def add_product(c, r, beta, alpha):
    """beta * c + alpha * r for a fresh array r; a zero beta ignores c, NaN and all."""
    if r.dtype.itemsize == 2 and r.dtype.kind in "fV":
        wide = add_product(c.astype(np.float32), r.astype(np.float32), beta, alpha)
        return wide.astype(r.dtype)
    if alpha != 1:
        r = r * alpha
    if beta == 0:
        return r if c.ndim <= r.ndim else r + np.zeros(c.shape, r.dtype)
    return np.add(r, c if beta == 1 else c * beta)


def accurate(multiply_arrays, c, a, b, beta, alpha):
    """beta * c + alpha * (a times b), rounded once in half precision."""
    if a.dtype.itemsize == 2 and a.dtype.kind in "fV" and a.dtype is b.dtype is c.dtype:
        as_they_are = multiply_arrays is product
        r = multiply_halves(a, b) if as_they_are else multiply_arrays(single(a), single(b))
        return rounded(add_product(single(c), r, beta, alpha), a.dtype)
    return add_product(c, multiply_arrays(a, b), beta, alpha)


@op(
    vjp={
        "c": lambda g, beta: scaled(g, beta.conjugate()),
        "a": lambda g, b, alpha: scaled(mm(g, mH(b)), alpha.conjugate()),
        "b": lambda g, a, alpha: scaled(mm(mH(a), g), alpha.conjugate()),
    },
    jvp={
        "c": lambda t, beta, out_shape: broadcast_to(scaled(t, beta), shape=out_shape),
        "a": lambda t, b, alpha: scaled(mm(t, b), alpha),
        "b": lambda t, a, alpha: scaled(mm(a, t), alpha),
    },
    broadcasts=True,
    promote="none",
    batch="leading",
    lower=ir.compose(lambda c, a, b, *, beta, alpha: _added_in_ops(c, mm(a, b), beta, alpha)),
    work=flops.product("addmm", "mm", first=1),
    types=lambda c, a, b, **rest: contracted(a, b),
)
def addmm(c, a, b, *, beta, alpha):
    """beta * c + alpha * (a @ b) for matrices."""
    return accurate(product, c, a, b, beta, alpha)


@op(
    vjp={
        "c": lambda g, beta: scaled(g, beta.conjugate()),
        "a": lambda g, b, alpha: scaled(bmm(g, mH(b)), alpha.conjugate()),
        "b": lambda g, a, alpha: scaled(bmm(mH(a), g), alpha.conjugate()),
    },
    jvp={
        "c": lambda t, beta, out_shape: broadcast_to(scaled(t, beta), shape=out_shape),
        "a": lambda t, b, alpha: scaled(bmm(t, b), alpha),
        "b": lambda t, a, alpha: scaled(bmm(a, t), alpha),
    },
    broadcasts=True,
    promote="none",
    batch="leading",
    lower=ir.compose(lambda c, a, b, *, beta, alpha: _added_in_ops(c, bmm(a, b), beta, alpha)),
    work=flops.product("baddbmm", "bmm", first=1),
)
def baddbmm(c, a, b, *, beta, alpha):
    """beta * c + alpha * (a @ b) for batches of matrices."""
    return accurate(product, c, a, b, beta, alpha)


@helper
def batch_sum(a, b):
    """The sum of the products of matrix pairs: one product of the stacked matrices."""
    return reduce_sum(bmm(a, b), axis=(0,), keepdims=False)


def sum_of_products(a, b):
    """The sum over the first dimension of a @ b, as one product."""
    count, rows, inner = a.shape
    if b.shape[:2] != (count, inner):
        raise ProductError(
            f"Incompatible matrix sizes for bmm ({rows}x{inner} and {b.shape[1]}x{b.shape[2]})"
        )
    left = a.transpose(1, 0, 2).reshape(rows, count * inner)
    return product(left, b.reshape(count * inner, b.shape[2]))


@op(
    vjp={
        "c": lambda g, beta: scaled(g, beta.conjugate()),
        "a": lambda g, b, alpha: scaled(matmul(g, mH(b)), alpha.conjugate()),
        "b": lambda g, a, alpha: scaled(matmul(mH(a), g), alpha.conjugate()),
    },
    jvp={
        "c": lambda t, beta, out_shape: broadcast_to(scaled(t, beta), shape=out_shape),
        "a": lambda t, b, alpha: scaled(batch_sum(t, b), alpha),
        "b": lambda t, a, alpha: scaled(batch_sum(a, t), alpha),
    },
    broadcasts=True,
    promote="none",
    batch=Plain(lambda c, a, b, *, beta, alpha: scaled_sum(c, beta, batch_sum(a, b), alpha)),
)
def addbmm(c, a, b, *, beta, alpha):
    """beta * c + alpha times the sum of the products of matrix pairs."""
    return accurate(sum_of_products, c, a, b, beta, alpha)


@op(
    vjp={
        "c": lambda g, beta: scaled(g, beta.conjugate()),
        "a": lambda g, x, alpha: scaled(column(g) * conj(row(x)), alpha.conjugate()),
        "x": lambda g, a, alpha: scaled(mv(mH(a), g), alpha.conjugate()),
    },
    jvp={
        "c": lambda t, beta, out_shape: broadcast_to(scaled(t, beta), shape=out_shape),
        "a": lambda t, x, alpha: scaled(mv(t, x), alpha),
        "x": lambda t, a, alpha: scaled(mv(a, t), alpha),
    },
    broadcasts=True,
    promote="none",
    batch=Plain(lambda c, a, x, *, beta, alpha: scaled_sum(c, beta, mv(a, x), alpha)),
    lower=ir.compose(lambda c, a, x, *, beta, alpha: _added_in_ops(c, mv(a, x), beta, alpha)),
)
def addmv(c, a, x, *, beta, alpha):
    """beta * c + alpha * (a @ x) for a matrix a and a vector x."""
    return accurate(mv, c, a, x, beta, alpha)


@op(
    vjp={
        "c": lambda g, beta: scaled(g, beta.conjugate()),
        "x": lambda g, y, alpha: scaled(mv(g, conj(y)), alpha.conjugate()),
        "y": lambda g, x, alpha: scaled(mv(mT(g), conj(x)), alpha.conjugate()),
    },
    jvp={
        "c": lambda t, beta, out_shape: broadcast_to(scaled(t, beta), shape=out_shape),
        "x": lambda t, y, alpha: scaled(column(t) * row(y), alpha),
        "y": lambda t, x, alpha: scaled(column(x) * row(t), alpha),
    },
    broadcasts=True,
    promote="none",
    batch=Plain(lambda c, x, y, *, beta, alpha: scaled_sum(c, beta, column(x) * row(y), alpha)),
)
def addr(c, x, y, *, beta, alpha):
    """beta * c + alpha times the outer product of two vectors."""
    return accurate(np.multiply.outer, c, x, y, beta, alpha)


# ---- a dense layer -------------------------------------------------------------------------------


def _linear_in_ops(x, w, b):
    return matmul(x, mT(w)) + b


@op(
    vjp={
        "x": lambda g, w: mm(g, conj(w)),
        "w": lambda g, x: mm(transpose(g, perm=(1, 0)), conj(x)),
        "b": lambda g: reduce_sum(g, axis=(0,), keepdims=False),
    },
    arrays={**_LAYER, "b": _bias_gradient},
    jvp={
        "x": lambda t, w: mm(t, mT(w)),
        "w": lambda t, x: mm(x, mT(t)),
        "b": lambda t, out_shape: broadcast_to(t, shape=out_shape),
    },
    batch=lambda values, batched, size, params: batched_linear(values, batched),
    node="AddmmBackward0",
    bias_first=True,
    lower=ir.compose(_linear_in_ops),
    halves="products",
    aten=("linear", "addmm"),
    work=flops.product("addmm", "mm", "x", "w", inner=-1),
    types=lambda x, w, *bias: [((x.shape[0], w.shape[0]), x.dtype)],
)
def linear2d(x, w, b):
    """x @ w.T + b for a matrix x: a dense layer in one node."""
    if x.dtype.itemsize == 2:
        r = multiply_halves(x, w.T)
        r += single(b)
        return rounded(r, x.dtype)
    if x.size * len(w) >= LARGE:
        return large_product(x, w.T, b)
    r = rows_by_rows(x, w)
    r += b
    return r


def rows_by_rows(x, w):
    """x @ w.T for two matrices that are not large."""
    if x.size > _MANY and len(w) <= _FEW:
        done = fast.thin_dots(x, w, (len(x) + 3) // 4)
        if done is not None:
            return done
    return x.dot(w.T)


@op(
    vjp={
        "x": lambda g, w: mm(g, conj(w)),
        "w": lambda g, x: mm(transpose(g, perm=(1, 0)), conj(x)),
    },
    arrays=_LAYER,
    linear_in=("x", "w"),
    batch=lambda values, batched, size, params: batched_linear(values, batched),
    node="MmBackward0",
    lower=ir.compose(lambda x, w: matmul(x, mT(w))),
    halves="products",
    aten=("linear", "mm"),
    work=flops.product("mm", "mm", "x", "w", inner=-1),
    types=lambda x, w, *bias: [((x.shape[0], w.shape[0]), x.dtype)],
)
def linear2d_no_bias(x, w):
    """x @ w.T for a matrix x: a dense layer without bias."""
    return product(x, w.T)
