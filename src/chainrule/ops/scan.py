"""Running folds along one axis: cumulative sums, products, maxima, and the linear recurrence.

`reverse` runs from the end, so that the transpose of a scan is the same op. The recurrence
`s[i] = a[i] * s[i-1] + b[i]` is what the derivatives of cumulative products are made of: it needs
no division, so zeros are ordinary values in every order of derivative.
"""

from __future__ import annotations

import math

import numpy as np

from .batching import Front
from .dtypes import F64
from .halves import wide
from .kernels import fast
from .layout import in_order
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def along(ufunc, x, axis, reverse):
    """ufunc.accumulate from the front or from the end."""
    if not reverse:
        return in_order(ufunc.accumulate(x, axis))
    out = np.empty(x.shape, x.dtype)
    turned = (slice(None),) * axis + (slice(None, None, -1),)
    ufunc.accumulate(x[turned], axis, out=out[turned])
    return out


def scanned(ufunc, x, axis, reverse):
    """A scan with real numbers accumulated in double precision: errors would add up."""
    if x.dtype.kind not in "fV":
        return along(ufunc, x, axis, reverse)
    kernel = _RUNNING.get(ufunc)
    if kernel is not None and x.size > _FEW:
        y = wide(x)
        sizes = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
        turn = (sizes[1] - 1, -1) if reverse else (0, 1)
        done = getattr(fast, kernel)(np.ascontiguousarray(y), *sizes, *turn)
        if done is not None:
            return done.reshape(x.shape).astype(x.dtype, copy=False)
    if not reverse and x.dtype.kind == "f":
        return in_order(ufunc.accumulate(x, axis, F64)).astype(x.dtype, copy=False)
    return along(ufunc, x.astype(F64), axis, reverse).astype(x.dtype, copy=False)


_RUNNING = {np.add: "running_sums", np.multiply: "running_products"}
_FEW = 64  # elements for which NumPy is as fast


@op(
    vjp={"x": lambda g, axis, reverse: cumsum(g, axis=axis, reverse=not reverse)},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
)
def cumsum(x, *, axis, reverse):
    """The running sum along `axis`."""
    return scanned(np.add, x, axis, reverse)


@op(
    vjp={"x": lambda g, x, axis, reverse: cumprod_pull(g, conj_if(x), axis, reverse)},
    jvp={"x": lambda t, x, out, axis, reverse: linear_scan(
        x, t * cumprod(delayed(x, axis, reverse), axis=axis, reverse=reverse),
        axis=axis, reverse=reverse)},
    batch=Front(axes=("axis",)),
)  # fmt: skip
def cumprod(x, *, axis, reverse):
    """The running product along `axis`."""
    return scanned(np.multiply, x, axis, reverse)


@helper
def cumprod_pull(g, x, axis, reverse):
    """The gradient of a running product: what comes before times what is passed on after."""
    before = cumprod(delayed(x, axis, reverse), axis=axis, reverse=reverse)
    after = linear_scan(moved(x, axis, not reverse), g, axis=axis, reverse=not reverse)
    return before * after


@helper
def moved(x, axis, reverse):
    """x one step later along `axis` (earlier when reverse), 0 at the end that opens."""
    n = x.shape[axis]
    if n == 0:
        return x
    lead = (slice(None),) * axis
    source, target = slice(0, n - 1), slice(1, n)
    if reverse:
        source, target = target, source
    part = slice_view(x, index=(*lead, source))
    return slice_fill(part, index=(*lead, target), shape=tuple(x.shape))


@helper
def delayed(x, axis, reverse):
    """x one step later along `axis` (earlier when reverse), 1 at the end that opens."""
    return moved(x - 1.0, axis, reverse) + 1.0


@op(
    vjp={
        "a": lambda g, a, out, axis, reverse: (
            linear_scan(
                conj_if(moved(a, axis, not reverse)), g, axis=axis, reverse=not reverse
            ) * conj_if(moved(out, axis, reverse))
        ),
        "b": lambda g, a, axis, reverse: linear_scan(
            conj_if(moved(a, axis, not reverse)), g, axis=axis, reverse=not reverse
        ),
    },
    jvp={
        "a": lambda t, a, out, axis, reverse: linear_scan(
            a, t * moved(out, axis, reverse), axis=axis, reverse=reverse
        ),
        "b": lambda t, a, axis, reverse: linear_scan(a, t, axis=axis, reverse=reverse),
    },
    batch=Front(axes=("axis",)),
)  # fmt: skip
def linear_scan(a, b, *, axis, reverse):
    """s[i] = a[i] * s[i-1] + b[i] along `axis`, starting from s = b (a[0] has no effect)."""
    exact = np.complex128 if b.dtype.kind == "c" else np.float64  # errors would add up
    factor = np.moveaxis(a, axis, 0).astype(exact)
    out = np.moveaxis(b, axis, 0).astype(exact)
    if reverse:
        factor, out = factor[::-1], out[::-1]
    if len(out) > 64 and out[0].size < 64:
        recur_by_doubling(factor, out)
    else:
        for i in range(1, len(out)):
            out[i] += factor[i] * out[i - 1]
    out = out[::-1] if reverse else out
    return np.ascontiguousarray(np.moveaxis(out, 0, axis)).astype(b.dtype, copy=False)


def recur_by_doubling(factor, out):
    """The recurrence in log2(n) vectorised steps, in place: each step doubles the reach."""
    reach = 1
    while reach < len(out):
        out[reach:] += factor[reach:] * out[:-reach]
        factor[reach:] = factor[reach:] * factor[:-reach]
        reach *= 2


@op(
    vjp={"x": lambda g, x, out, axis, reverse: conj_if(exp(x - out)) * linear_scan(
        conj_if(exp(growth(out, axis, not reverse))), g, axis=axis, reverse=not reverse)},
    jvp={"x": lambda t, x, out, axis, reverse: linear_scan(
        exp(-growth(out, axis, reverse)), t * exp(x - out), axis=axis, reverse=reverse)},
    batch=Front(axes=("axis",)),
)  # fmt: skip
def logcumsumexp(x, *, axis, reverse):
    """The running log-sum-exp along `axis`."""
    if x.dtype.kind != "c":
        return scanned(np.logaddexp, x, axis, reverse)
    out = np.moveaxis(x, axis, 0).copy()
    before = np.array(-np.inf, out.dtype)
    for i in range(len(out) - 1, -1, -1) if reverse else range(len(out)):
        before = out[i] = _added_logarithm(before, out[i])
    return np.ascontiguousarray(np.moveaxis(out, 0, axis))


def _added_logarithm(a, b):
    """log(exp(a) + exp(b)) of complex numbers, on the branch of the larger one."""
    first = a.real > b.real
    large, small = np.where(first, a, b), np.where(first, b, a)
    with np.errstate(all="ignore"):
        sums = np.log(1 + np.exp(small - large)) + large
        endless = np.isinf(large.real) & (small.real == large.real)
        if endless.any():
            both = np.where(large.real < 0, a, np.log(np.exp(a) + np.exp(b)))
            sums = np.where(endless, both, sums)
    return sums


@helper
def growth(out, axis, reverse):
    """How much each element exceeds the one before it in scanning order; 0 for the first."""
    n = out.shape[axis]
    if n == 0:
        return out
    lead = (slice(None),) * axis
    first = slice_view(out, index=(*lead, slice(0, n - 1)))
    later = slice_view(out, index=(*lead, slice(1, n)))
    step, place = (first - later, slice(0, n - 1)) if reverse else (later - first, slice(1, n))
    return slice_fill(step, index=(*lead, place), shape=tuple(out.shape))


# ---- running maxima ------------------------------------------------------------------------------


def running_places(x, axis, accumulate):
    """Where a running maximum or minimum was found: the last of several equal ones."""
    y = wide(x)
    values = accumulate(y, axis)
    hit = (y == values) | np.isnan(y) if y.dtype.kind == "f" else y == values
    places = np.arange(x.shape[axis]).reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    return in_order(np.maximum.accumulate(np.where(hit, places, 0), axis))


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def cummax_places(x, *, axis):
    """Where the running maximum along `axis` was found."""
    return running_places(x, axis, np.maximum.accumulate)


@op(nondiff=("x",), batch=Front(axes=("axis",)))
def cummin_places(x, *, axis):
    """Where the running minimum along `axis` was found."""
    return running_places(x, axis, np.minimum.accumulate)
