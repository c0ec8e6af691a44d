"""How far values lie from their mean or from zero: variance, standard deviation, norms."""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import ir
from .batching import Front
from .dtypes import F32, F64
from .halves import wide
from .layout import in_order
from .reduce import reduce_mean
from .schema import helper, op
from .sums import count_of, kept, summed, summed_of, without

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_SMALL = 1 << 10  # elements whose order makes no difference that counts
_AT_ONCE = 1 << 17  # elements whose distances from the mean may be held at once
_WITHOUT_POWERS = (0.0, 1.0, float("inf"), float("-inf"))  # orders of norms
_GOOD_TOTALS = (1e-24, 1e38)  # between them sums of powers of float32 numbers lose nothing

_GOOD_VARIANCES = (1e-24, 1e30)  # the same of mean squares, of which there may be many

# ---- variance ------------------------------------------------------------------------------------


def _distances(x, axis, n):
    """from_mean on arrays; of a few float32 numbers in doubles."""
    if x.size <= _SMALL and x.dtype is F32:
        return _far_from_mean(x, axis, n)
    away = x - summed(x, axis, True) / x.dtype.type(n)
    rest = summed(away, axis, True) / x.dtype.type(n)
    away -= np.where(np.isfinite(rest), rest, x.dtype.type(0))
    return away


def _var_gradient(g, x, axis, keepdims, correction):
    n = count_of(x.shape, axis)
    away = _distances(x, axis, n)
    away *= g.reshape(kept(x.shape, axis)) * away.dtype.type(over(2.0, max(n - correction, 0)))
    return away.astype(x.dtype, copy=False)


def _std_gradient(g, x, out, axis, keepdims, correction):
    n = count_of(x.shape, axis)
    away, out = _distances(x, axis, n), out.astype(F64)
    factor = np.where(out == 0, 0.0, over(1.0, max(n - correction, 0)) / out) * g
    away *= factor.reshape(kept(x.shape, axis)).astype(away.dtype, copy=False)
    return away.astype(x.dtype, copy=False)


@op(
    vjp={"x": lambda g, x, axis, keepdims, correction: pull(
        g, var_slope(x, axis, correction), axis, keepdims)},
    arrays={"x": _var_gradient},
    jvp={"x": lambda t, x, axis, keepdims, correction: push(
        t, var_slope(x, axis, correction), axis, keepdims)},
    batch=Front(axes=("axis",)),
    node="VarBackward0",
    lower=ir.compose(lambda x, *, axis, keepdims, correction: centred_square(
        x, axis, keepdims, correction)),
)  # fmt: skip
def reduce_var(x, *, axis, keepdims, correction):
    """The variance over `axis`: squared distance from the mean, over n - correction."""
    found = in_order(variance(wide(x), axis, keepdims, correction))
    return found.astype(real_dtype(x.dtype), copy=False)


@op(
    vjp={"x": lambda g, x, out, axis, keepdims, correction: pull(
        g, std_slope(x, out, axis, keepdims, correction), axis, keepdims)},
    arrays={"x": _std_gradient},
    jvp={"x": lambda t, x, out, axis, keepdims, correction: push(
        t, std_slope(x, out, axis, keepdims, correction), axis, keepdims)},
    batch=Front(axes=("axis",)),
    node="StdBackward0",
    lower=ir.compose(lambda x, *, axis, keepdims, correction: deviation(
        x, axis, keepdims, correction)),
)  # fmt: skip
def reduce_std(x, *, axis, keepdims, correction):
    """The standard deviation over `axis`; its slope at 0 is 0."""
    v = in_order(variance(wide(x), axis, keepdims, correction))
    return np.sqrt(v).astype(real_dtype(x.dtype), copy=False)


@helper
def with_mean(pulled, g, shape, axis, keepdims):
    """A gradient, or None, and that of the input of a mean."""
    if g is None:
        return pulled
    of_mean = spread(g / count_of(shape, axis), shape, axis, keepdims)
    return of_mean if pulled is None else pulled + of_mean


@helper
def var_mean_pull(g, x, axis, keepdims, correction):
    """The gradient of the input of var_mean."""
    pulled = None
    if g[0] is not None:
        pulled = pull(g[0], var_slope(x, axis, correction), axis, keepdims)
    return with_mean(pulled, g[1], tuple(x.shape), axis, keepdims)


@helper
def std_mean_pull(g, x, out, axis, keepdims, correction):
    """The gradient of the input of std_mean."""
    pulled = None
    if g[0] is not None:
        pulled = pull(g[0], std_slope(x, out, axis, keepdims, correction), axis, keepdims)
    return with_mean(pulled, g[1], tuple(x.shape), axis, keepdims)


@op(
    vjp={"x": lambda g, x, axis, keepdims, correction: var_mean_pull(
        g, x, axis, keepdims, correction)},
    jvp={"x": lambda t, x, axis, keepdims, correction: (
        push(t, var_slope(x, axis, correction), axis, keepdims),
        reduce_mean(t, axis=axis, keepdims=keepdims))},
    n_out=2,
    materialise=False,
    batch=Front(axes=("axis",)),
    node="VarMeanBackward0",
    lower=ir.compose(lambda x, *, axis, keepdims, correction: (
        centred_square(x, axis, keepdims, correction),
        reduce_mean(x, axis=axis, keepdims=keepdims))),
)  # fmt: skip
def var_mean(x, *, axis, keepdims, correction):
    """The variance and the mean over `axis`."""
    return (
        reduce_var(x, axis=axis, keepdims=keepdims, correction=correction),
        reduce_mean(x, axis=axis, keepdims=keepdims),
    )


@op(
    vjp={"x": lambda g, x, out, axis, keepdims, correction: std_mean_pull(
        g, x, out, axis, keepdims, correction)},
    jvp={"x": lambda t, x, out, axis, keepdims, correction: (
        push(t, std_slope(x, out, axis, keepdims, correction), axis, keepdims),
        reduce_mean(t, axis=axis, keepdims=keepdims))},
    n_out=2,
    materialise=False,
    batch=Front(axes=("axis",)),
    node="StdMeanBackward0",
    lower=ir.compose(lambda x, *, axis, keepdims, correction: (
        deviation(x, axis, keepdims, correction),
        reduce_mean(x, axis=axis, keepdims=keepdims))),
)  # fmt: skip
def std_mean(x, *, axis, keepdims, correction):
    """The standard deviation and the mean over `axis`."""
    return (
        reduce_std(x, axis=axis, keepdims=keepdims, correction=correction),
        reduce_mean(x, axis=axis, keepdims=keepdims),
    )


def variance(x, axis, keepdims, correction):
    """The variance of a wide array, as a double where squares of float32 numbers leave the range:
    its root is a number like any other."""
    found = _variance(x, axis, keepdims, correction)
    if found.dtype != F32 or not found.size:
        return found
    if found.size == 1:
        least = most = found.item()
    else:
        least, most = float(np.minimum.reduce(found, None)), float(np.maximum.reduce(found, None))
    low, high = _GOOD_VARIANCES
    if low <= least and most <= high:  # neither is NaN, as that of a sum that overflowed
        return found
    double = np.complex128 if x.dtype.kind == "c" else F64
    return _variance(x.astype(double), axis, keepdims, correction)


def _variance(x, axis, keepdims, correction):
    """The variance in the array's type: what is left of the distances' mean is taken out again."""
    n = count_of(x.shape, axis)
    if x.size <= _SMALL and x.dtype is F32:
        return _variance_in_double(x, axis, keepdims, n, np.float64(max(n - correction, 0)))
    mean = summed(x, axis, True) / real_dtype(x.dtype).type(n)
    if x.size <= _AT_ONCE:
        away = np.asarray(x - mean)
        rest = summed(away, axis, True)
        square = summed(_squared(away, in_place=True), axis, True)
    else:
        square = summed_of(_squared_distance, axis, x, mean)
        rest = summed_of(np.subtract, axis, x, mean)
    square = square - _squared(rest) / square.dtype.type(n)
    total = without(square, axis, keepdims)
    return np.asarray(total / np.asarray(max(n - correction, 0), square.dtype))


def _variance_in_double(x, axis, keepdims, n, divisor):
    """The variance of a few numbers: as doubles they need no second look at their mean."""
    away = _far_from_mean(x, axis, n)
    if axis == (x.ndim - 1,):
        total = np.vecdot(away, away)
        return np.asarray((total[..., None] if keepdims else total) / divisor)
    np.multiply(away, away, out=away)
    return np.asarray(np.add.reduce(away, axis, keepdims=keepdims) / divisor)


def _far_from_mean(x, axis, n):
    away = x.astype(F64)
    if n:
        away -= np.add.reduce(away, axis, keepdims=True) / n
    return away


def _squared(x, in_place=False):
    """|x|^2."""
    if x.dtype.kind == "c":
        return x.real**2 + x.imag**2
    return np.multiply(x, x, out=x if in_place else None)


def _squared_distance(x, mean):
    return _squared(x - mean)


def real_dtype(dtype):
    """The type of a complex type's parts; a real type itself."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


@helper
def centred_square(x, axis, keepdims, correction, like=None):
    """The variance, in ops; squares are of the type `like` where one is named."""
    n = count_of(tuple(x.shape), axis)
    d = x - reduce_mean(x, axis=axis, keepdims=True)
    d = d if like is None else cast(d, dtype=like)
    rest = reduce_sum(d, axis=axis, keepdims=keepdims)  # what rounding left of the mean
    square = reduce_sum(d * d, axis=axis, keepdims=keepdims) - rest * rest / n
    return square / max(n - correction, 0)


@helper
def deviation(x, axis, keepdims, correction, single=F32, double=F64):
    """The standard deviation, in ops: squares of float32 numbers leave the range before it does."""
    if g_dtype(x) != single:
        return sqrt(centred_square(x, axis, keepdims, correction))
    return cast(sqrt(centred_square(x, axis, keepdims, correction, double)), dtype=single)


@helper
def over(factor, divisor):
    """factor / divisor for numbers, infinite where the divisor is 0."""
    return factor / divisor if divisor else float("inf")


@helper
def from_mean(x, axis):
    """How far each element lies from the mean. The rounded mean of a few large numbers close to
    each other is off by as much as they differ: what that left of the mean is taken out again."""
    away = x - reduce_mean(x, axis=axis, keepdims=True)
    rest = reduce_mean(away, axis=axis, keepdims=True)
    return away - where(isfinite(rest), rest, 0.0)


@helper
def var_slope(x, axis, correction):
    """How the variance moves with each element."""
    factor = over(2.0, max(count_of(tuple(x.shape), axis) - correction, 0))
    return from_mean(x, axis) * factor


@helper
def std_slope(x, out, axis, keepdims, correction):
    """How the standard deviation moves with each element; nothing moves it at 0."""
    shape = tuple(x.shape)
    out = unreduced(out, shape, axis, keepdims)
    share = over(1.0, max(count_of(shape, axis) - correction, 0))
    factor = where(out == 0, 0.0, share / where(out == 0, 1.0, out))  # nor does it move the slope
    return from_mean(x, axis) * factor


# ---- norms ---------------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, x, out, axis, keepdims, order: None if order == 0 else pull(
        g, norm_slope(x, unreduced(out, tuple(x.shape), axis, keepdims), axis, order), axis,
        keepdims)},  # a count has no slope
    jvp={"x": lambda t, x, out, axis, keepdims, order: push(
        t, norm_slope(x, unreduced(out, tuple(x.shape), axis, keepdims), axis, order), axis,
        keepdims)},
    batch=Front(axes=("axis",)),
    node="LinalgVectorNormBackward0", aten=("linalg_vector_norm",),
)  # fmt: skip
def reduce_norm(x, *, axis, keepdims, order):
    """The vector norm of order `order` over `axis`, of any number of dimensions."""
    if order == 2 and not keepdims and len(axis) == x.ndim and x.dtype is F32:
        found = _length(x)
        if found is not None:
            return found
    found = in_order(norm_of(wide(x), axis, keepdims, order))
    return found.astype(real_dtype(x.dtype), copy=False)


def _length(x):
    """The norm of all elements, where plain products do; None if they leave float32's range."""
    if x.size < 2 or not x.flags.c_contiguous:
        return None
    total = float(_sum_of_squares(x.reshape(-1)))
    low, high = _GOOD_TOTALS
    return np.array(math.sqrt(total), F32) if low < total < high else None


def norm_of(x, axis, keepdims, order):
    """The norm of a wide array. Powers of float32 numbers that leave its range are summed again as
    doubles: a norm near 1e-20 or 1e25 is a number like any other."""
    if order and count_of(x.shape, axis) == 1:
        return without(np.abs(x), axis, keepdims)
    if order == 2 and axis == (x.ndim - 1,) != (0,) and x.size <= _SMALL and x.dtype is F32:
        double = x.astype(F64)
        found = np.sqrt(np.vecdot(double, double)).astype(F32)
        return found[..., None] if keepdims else found
    found = _norm_by_powers(x, axis, keepdims, order)
    if order in _WITHOUT_POWERS or real_dtype(x.dtype) != F32 or not found.size:
        return found
    if found.size == 1:
        least = most = found.item()
        if len(axis) == x.ndim and least in (0.0, float("inf")):
            return found  # as PyTorch, whose norm of all elements clips gradients
    else:
        least, most = float(np.fmin.reduce(found, None)), float(np.fmax.reduce(found, None))
    low, high = _good_norms(order)
    return _norm_in_double(x, axis, keepdims, order) if least < low or most > high else found


@functools.cache
def _good_norms(order):
    """Between which norms of float32 numbers no sum of powers left their range."""
    return sorted(total ** (1.0 / order) for total in _GOOD_TOTALS)


def _norm_in_double(x, axis, keepdims, order):
    double = np.complex128 if x.dtype.kind == "c" else F64
    total = summed_of(lambda y: np.abs(y.astype(double)) ** order, axis, x)
    return without(total, axis, keepdims) ** (1.0 / order)


def _norm_by_powers(x, axis, keepdims, order):
    """The norm, computed in the array's own type."""
    if order == 2:
        if len(axis) == x.ndim and x.dtype.kind != "c" and x.flags.c_contiguous:
            total = np.sqrt(_sum_of_squares(x.reshape(-1)))
            return total.reshape((1,) * x.ndim) if keepdims else total
        if axis == (x.ndim - 1,) and x.size <= _SMALL and x.dtype.kind != "c":
            total = np.sqrt(np.vecdot(x, x))
            return total[..., None] if keepdims else total
        return without(np.sqrt(summed_of(_squared, axis, x)), axis, keepdims)
    if order == 0:
        return np.add.reduce(x != 0, axis, keepdims=keepdims, dtype=real_dtype(x.dtype))
    if order == float("inf"):
        return np.maximum.reduce(np.abs(x), axis, keepdims=keepdims)
    if order == float("-inf"):
        return np.minimum.reduce(np.abs(x), axis, keepdims=keepdims)
    if order == 1:
        return without(summed_of(np.abs, axis, x), axis, keepdims)
    total = without(summed_of(lambda y: np.abs(y) ** order, axis, x), axis, keepdims)
    return np.asarray(total, F64) ** (1.0 / order)  # 1 / 3 as float32 costs digits of large totals


def _sum_of_squares(line):
    """Products of short pieces, which are summed as doubles: no error grows with the length."""
    if line.size <= _SMALL:
        return line.dot(line)
    even = line.size - line.size % _SMALL
    pieces, rest = line[:even].reshape(-1, _SMALL), line[even:]
    total = sum(np.vecdot(pieces, pieces).tolist(), float(rest.dot(rest)))
    return line.dtype.type(total)


@helper
def norm_slope(x, out, axis, order):
    """How a norm moves with each element; the subgradient 0 where it has a kink."""
    if order == 0:
        return x * 0.0
    if order == 1:
        return sgn(x)
    if order == 2:
        return where(out == 0, 0.0, x / out)
    if order in (float("inf"), float("-inf")):
        size = abs(x)
        hit = (size == out) | (isnan(size) & isnan(out))
        count = reduce_sum(cast(hit, dtype=g_dtype(out)), axis=axis, keepdims=True)
        return where(hit, sgn(x) / count, zero_if_any(count))
    if order < 0:
        share = abs(x) / where(out == 0, 1.0, out)  # powers of shares stay in range
        return where(out == 0, 0.0, sgn(x) * pow(share, order - 1))
    if order < 1:
        return where(x == 0, 0.0, sgn(x) * pow(abs(x), order - 1)) * pow(out, 1 - order)
    if order < 2:
        return sgn(x) * pow(abs(x), order - 1) * where(out == 0, 0.0, pow(out, 1 - order))
    share = x / where(out == 0, 1.0, out)
    return where(out == 0, 0.0, share * pow(abs(share), order - 2))
