"""Reductions over a tuple of axes. Half precision is accumulated in float32 and rounded once.

Most derivatives here have one shape: the result moves by the sum of `slope * tangent` over the
reduced elements. `pull` and `push` turn a slope (of the input's shape) into both modes.
"""

from __future__ import annotations

import math

import numpy as np

from .. import ir
from .batching import Front
from .dtypes import F32, F64
from .halves import wide
from .kernels import fast
from .layout import in_order
from .schema import helper, op
from .shape import broadcast_to
from .sums import count_of, kept, native_sum, summed

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


# ---- shared parts of rules -----------------------------------------------------------------------

helper(kept)
helper(count_of)


@helper
def unreduced(g, shape, axis, keepdims):
    """A reduced value with its reduced axes back, of length 1."""
    if keepdims or not axis or not shape:
        return g
    return reshape(g, shape=kept(shape, axis))


@helper
def spread(g, shape, axis, keepdims):
    """A reduced value repeated back to the shape it was reduced from."""
    if not keepdims and axis and len(g.shape):
        g = reshape(g, shape=kept(shape, axis))
    return broadcast_to(g, shape=shape)


@helper
def g_dtype(x):
    """The NumPy dtype of a value of any world."""
    return getattr(x.dtype, "np", x.dtype)


@helper
def conj_if(x):
    """The conjugate of a complex value; a real one untouched."""
    return conj(x) if g_dtype(x).kind == "c" else x


@helper
def pull(g, slope, axis, keepdims):
    """The gradient of the input of a reduction with this (conjugate) slope."""
    return unreduced(g, tuple(slope.shape), axis, keepdims) * slope


@helper
def push(t, slope, axis, keepdims):
    """The tangent of the result of a reduction with this (conjugate) slope."""
    return reduce_sum(t * conj_if(slope), axis=axis, keepdims=keepdims)


# ---- sums ----------------------------------------------------------------------------------------


def _repeated(g, x_shape, axis, keepdims, divisor):
    """`spread` of g / divisor; a small array is filled, as a view of one number slows down whoever
    reads it."""
    if len(axis) == len(x_shape) and g.size == 1:
        r = np.empty(x_shape, g.dtype)
        if 0 < r.size <= _SMALL:
            r.fill(g.item() / divisor)
            return r
    if divisor != 1:
        g = g / divisor
    if not keepdims and axis and g.ndim:
        g = g.reshape(kept(x_shape, axis))
    return broadcast_to(np.asarray(g), shape=x_shape)


def _sum_gradient(g, x_shape, axis, keepdims):
    return _repeated(g, x_shape, axis, keepdims, 1)


def _mean_gradient(g, x_shape, axis, keepdims):
    return _repeated(g, x_shape, axis, keepdims, count_of(x_shape, axis))


@op(
    vjp={"x": lambda g, x_shape, axis, keepdims: spread(g, x_shape, axis, keepdims)},
    arrays={"x": _sum_gradient},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    node="SumBackward0",
    lower=ir.reduce("add"),
)
def reduce_sum(x, *, axis, keepdims):
    """The sum over `axis`."""
    dtype = x.dtype
    if (dtype is F32 or dtype is F64) and axis and x.size:
        done = native_sum(x, axis, keepdims)
        if done is not None:
            return done
        if not keepdims and axis == (0,) and x.ndim <= 2 and len(x) <= _FEW:
            # A product takes a quarter of the time of a reduction.
            return ones_vector(len(x), dtype).dot(x)
    elif dtype.itemsize == 2 and dtype.kind in "fV":
        return summed(wide(x), axis, keepdims).astype(dtype)
    return summed(x, axis, keepdims)


_SMALL = 1 << 14
_FEW = 32  # numbers whose order makes no difference that counts
_ONES: dict = {}


def ones_vector(n, dtype):
    """A vector of ones that is not to be written to; short ones are kept."""
    key = (n, dtype)
    found = _ONES.get(key)
    if found is None:
        found = np.ones(n, dtype)
        found.flags.writeable = False
        if len(_ONES) < 256:
            _ONES[key] = found
    return found


@op(
    vjp={
        "x": lambda g, x_shape, axis, keepdims: spread(
            g / count_of(x_shape, axis), x_shape, axis, keepdims
        )
    },
    arrays={"x": _mean_gradient},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    node="MeanBackward0",
    lower=ir.compose(
        lambda x, *, axis, keepdims: (
            reduce_sum(x, axis=axis, keepdims=keepdims) / count_of(tuple(x.shape), axis)
        )
    ),
)
def reduce_mean(x, *, axis, keepdims):
    """The arithmetic mean over `axis`."""
    n = count_of(x.shape, axis)
    if x.size and axis and (x.dtype is F32 or x.dtype is F64):
        total = reduce_sum(x, axis=axis, keepdims=keepdims)
        return total / n
    return np.asarray(summed(wide(x), axis, keepdims) / n).astype(x.dtype, copy=False)


@op(
    vjp={"x": lambda g, x, axis, keepdims: where(
        isnan(x), 0.0, spread(g, tuple(x.shape), axis, keepdims))},
    jvp={"x": lambda t, x, axis, keepdims: reduce_sum(
        where(isnan(x), 0.0, t), axis=axis, keepdims=keepdims)},
    batch=Front(axes=("axis",)),
    node="NansumBackward0",
)  # fmt: skip
def nansum(x, *, axis, keepdims):
    """The sum over `axis` of the elements that are numbers."""
    y = wide(x)
    missing = np.isnan(y)
    total = summed(np.where(missing, y.dtype.type(0), y), axis, keepdims)
    return np.asarray(total).astype(x.dtype, copy=False)


@op(
    vjp={"x": lambda g, x, axis, keepdims: pull(g, others_product(x, axis), (axis,), keepdims)},
    jvp={"x": lambda t, x, axis, keepdims: push(t, others_product(x, axis), (axis,), keepdims)},
    batch=Front(axes=("axis",)),
    node="ProdBackward0",
)
def reduce_prod(x, *, axis, keepdims):
    """The product along one axis."""
    y = wide(x)
    if y.dtype.kind == "f" and x.size and x.shape[axis] > _FEW:
        sizes = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
        done = fast.products(np.ascontiguousarray(y), *sizes)
        if done is not None:
            return done.reshape(
                kept(x.shape, (axis,)) if keepdims else x.shape[:axis] + x.shape[axis + 1 :]
            ).astype(x.dtype, copy=False)
        y = y.astype(F64)
    done = np.asarray(np.multiply.reduce(y, axis, keepdims=keepdims))
    return in_order(done).astype(x.dtype, copy=False)


@helper
def others_product(x, axis):
    """For each element the product of all others: no division, so zeros need no care."""
    x = conj_if(x)
    before = cumprod(delayed(x, axis, False), axis=axis, reverse=False)
    after = cumprod(delayed(x, axis, True), axis=axis, reverse=True)
    return before * after


# ---- largest and smallest ------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, x, out, axis, keepdims: spread_to_ties(g, x, out, axis, keepdims)},
    jvp={"x": lambda t, x, out, axis, keepdims: mean_over_ties(t, x, out, axis, keepdims)},
    batch=Front(axes=("axis",)),
    node="AmaxBackward0",
    lower=ir.reduce("max"),
    aten=("amax",),
)
def reduce_max(x, *, axis, keepdims):
    """The largest element over `axis`; ties share the gradient."""
    return in_order(np.maximum.reduce(x, axis, keepdims=keepdims))


@op(
    vjp={"x": lambda g, x, out, axis, keepdims: spread_to_ties(g, x, out, axis, keepdims)},
    jvp={"x": lambda t, x, out, axis, keepdims: mean_over_ties(t, x, out, axis, keepdims)},
    batch=Front(axes=("axis",)),
    node="AminBackward0",
    lower=ir.reduce("min"),
    aten=("amin",),
)
def reduce_min(x, *, axis, keepdims):
    """The smallest element over `axis`; ties share the gradient."""
    return in_order(np.minimum.reduce(x, axis, keepdims=keepdims))


def _declare_extreme_of_all(name, node, kind):
    # PyTorch names the node of a full max() otherwise than that of amax(dim).
    reduced = reduce_max if kind == "max" else reduce_min

    def forward(x, *, axis, keepdims):
        """The largest or smallest element of all; ties share the gradient."""
        return reduced(x, axis=axis, keepdims=keepdims)

    op(
        name=name,
        vjp={"x": lambda g, x, out, axis, keepdims: give_to_ties(g, x, out, axis, keepdims)},
        jvp={"x": lambda t, x, out, axis, keepdims: mean_over_ties(t, x, out, axis, keepdims)},
        batch=Front(axes=("axis",)),
        node=node,
        aten=(kind,),
        lower=ir.reduce(kind),
    )(forward)


_declare_extreme_of_all("max_of_all", "MaxBackward1", "max")
_declare_extreme_of_all("min_of_all", "MinBackward1", "min")


@helper
def ties(x, out, axis, keepdims):
    """Which elements equal the reduced value (all NaN ones when that is NaN)."""
    value = unreduced(out, tuple(x.shape), axis, keepdims)
    return (x == value) | (isnan(x) & isnan(value))


@helper
def spread_to_ties(g, x, out, axis, keepdims):
    """Share the gradient equally among the elements equal to the reduced value."""
    hit = ties(x, out, axis, keepdims)
    count = reduce_sum(cast(hit, dtype=g_dtype(g)), axis=axis, keepdims=True)
    share = unreduced(g, tuple(x.shape), axis, keepdims) / count
    return where(hit, share, zero_if_any(count))


@helper
def give_to_ties(g, x, out, axis, keepdims):
    """The same for a reduction of all elements: nothing for nobody."""
    hit = ties(x, out, axis, keepdims)
    count = reduce_sum(cast(hit, dtype=g_dtype(g)), axis=axis, keepdims=True)
    return where(hit, unreduced(g, tuple(x.shape), axis, keepdims) / count, 0.0)


@helper
def zero_if_any(count):
    """0, but NaN where nothing was counted: no element equals a result that `data` has changed."""
    return count / count - 1.0


@helper
def mean_over_ties(t, x, out, axis, keepdims):
    """The mean tangent over the elements equal to the reduced value."""
    hit = ties(x, out, axis, keepdims)
    count = reduce_sum(cast(hit, dtype=g_dtype(t)), axis=axis, keepdims=keepdims)
    return reduce_sum(where(hit, t, 0.0), axis=axis, keepdims=keepdims) / count


@op(
    nondiff=("x",),
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda x, *, axis, keepdims: first_place("reduce_max", x, axis, keepdims)),
)
def argmax(x, *, axis, keepdims):
    """Where the largest element along `axis` is: the first of several, a NaN before all."""
    return in_order(wide(x).argmax(axis, keepdims=keepdims))


@op(
    nondiff=("x",),
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda x, *, axis, keepdims: first_place("reduce_min", x, axis, keepdims)),
)
def argmin(x, *, axis, keepdims):
    """Where the smallest element along `axis` is: the first of several, a NaN before all."""
    return in_order(wide(x).argmin(axis, keepdims=keepdims))


# ---- truth ---------------------------------------------------------------------------------------


@op(nondiff=("x",), batch=Front(axes=("axis",)), lower=ir.reduce("or"))
def reduce_any(x, *, axis, keepdims):
    """Whether any element over `axis` is nonzero."""
    return in_order(np.logical_or.reduce(x, axis, keepdims=keepdims))


@op(nondiff=("x",), batch=Front(axes=("axis",)), lower=ir.reduce("and"))
def reduce_all(x, *, axis, keepdims):
    """Whether all elements over `axis` are nonzero."""
    return in_order(np.logical_and.reduce(x, axis, keepdims=keepdims))


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def count_nonzero(x, *, axis):
    """How many elements over `axis` are nonzero."""
    return np.asarray(np.count_nonzero(x, axis=axis), np.int64, order="C")


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def hash_tensor(x, *, axis, keepdims):
    """The bits of all elements over `axis` (as float64, or as 64-bit integers), by exclusive or."""
    floats = x.dtype.kind not in "biu"
    bits = x.astype(np.float64).view(np.uint64) if floats else x.astype(np.int64).view(np.uint64)
    return in_order(np.asarray(np.bitwise_xor.reduce(bits, axis, keepdims=keepdims), np.uint64))
