"""Images: resampling along axes, padding.

A *plan* says how one axis is resampled; each result element is a weighted sum of a few elements.
Plans are plain tuples (they are static parameters), their taps are computed once and kept:

    ("area", n, o)                        means of o nearly equal regions
    ("nearest", n, o, scale)              and "nearest-exact"
    ("linear", n, o, align, scale)        also "cubic"; align: the corners' centres coincide
    ("smooth-linear", n, o, align, scale) with the filter widened when shrinking; "smooth-cubic",
                                          "smooth-lanczos"
    ("reflect", n, before, after)         padding; also "replicate", "circular"

`scale` is input over output size as the user gave it, None for n / o.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .batching import Front
from .halves import wide
from .layout import lying_as
from .pool import adaptive_bounds
from .schema import op

_DENSE = 1 << 14  # up to this many elements a plan is applied as a matrix


# ---- plans ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def taps(plan):
    """(positions, weights), each (outputs, taps): result[i] = sum(weights * x[positions])."""
    kind, n, *rest = plan
    if kind == "area":
        return _region_taps(n, *rest)
    if kind in ("reflect", "replicate", "circular"):
        return _padding_taps(kind, n, *rest)
    if kind in ("nearest", "nearest-exact"):
        return _nearest_taps(kind, n, *rest)
    if kind.startswith("smooth"):
        return _smooth_taps(kind, n, *rest)
    return _linear_taps(n, *rest) if kind == "linear" else _cubic_taps(n, *rest)


def _region_taps(n, o):
    bounds = np.array(adaptive_bounds(n, o), np.int64).reshape(o, 2)
    start, length = bounds[:, :1], bounds[:, 1:] - bounds[:, :1]
    step = np.arange(length.max(initial=0))
    inside = step < length
    return np.where(inside, start + step, 0), inside / np.maximum(length, 1)


def _padding_taps(kind, n, before, after):
    at = np.arange(-before, n + after)
    if kind == "reflect":
        period = max(1, 2 * (n - 1))
        at = np.abs(at) % period
        at = np.where(at >= n, period - at, at)
    elif kind == "circular":  # cut first, then wrapped around what is left
        left = n + min(before, 0) + min(after, 0)
        at = np.arange(-max(before, 0), left + max(after, 0)) % max(left, 1) + max(-before, 0)
    else:
        at = np.clip(at, 0, n - 1)
    return at[:, None], np.ones((len(at), 1))


def _nearest_taps(kind, n, o, scale):
    # float32, as PyTorch computes it: the rounding decides which element is the nearest.
    ratio = np.float32(n / o if scale is None else scale)
    shift = np.float32(0.5 if kind == "nearest-exact" else 0)
    if o == n and kind == "nearest" and scale is None:
        at = np.arange(n)
    else:
        at = np.floor((np.arange(o, dtype=np.float32) + shift) * ratio).astype(np.int64)
    return np.minimum(at, n - 1)[:, None], np.ones((o, 1))


def _source(n, o, align, scale):
    """Where each result element lies among the inputs."""
    i = np.arange(o, dtype=np.float64)
    if align:
        return i * ((n - 1) / (o - 1) if o > 1 else 0.0)
    return (i + 0.5) * (n / o if scale is None else scale) - 0.5


def _linear_taps(n, o, align, scale):
    at = np.maximum(_source(n, o, align, scale), 0)
    low = np.minimum(np.floor(at).astype(np.int64), n - 1)
    part = np.minimum(at - low, 1.0)
    high = np.minimum(low + 1, n - 1)
    return np.stack([low, high], 1), np.stack([1 - part, part], 1)


def cubic_kernel(x, a):
    """The cubic convolution kernel."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def _cubic_taps(n, o, align, scale):
    at = _source(n, o, align, scale)
    base = np.floor(at).astype(np.int64)
    around = base[:, None] + np.arange(-1, 3)
    return np.clip(around, 0, n - 1), cubic_kernel(at[:, None] - around, -0.75)


# How far the filter of a kind reaches, and its values.
_WINDOWS = {
    "smooth-linear": (1.0, lambda x: np.maximum(1 - np.abs(x), 0)),
    "smooth-cubic": (2.0, lambda x: cubic_kernel(x, -0.5)),
    "smooth-lanczos": (3.0, lambda x: np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)),
}


def _smooth_taps(kind, n, o, align, scale):
    """The filter is widened by the factor of shrinking, and its weights normalised."""
    if align:
        ratio = (n - 1) / (o - 1) if o > 1 else 0.0
    else:
        ratio = n / o if scale is None else scale
    reach, window = _WINDOWS[kind]
    stretch = max(ratio, 1.0)
    support = reach * stretch
    centre = ratio * (np.arange(o) + 0.5)
    start = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    end = np.minimum((centre + support + 0.5).astype(np.int64), n)
    at = start[:, None] + np.arange(max(1, int((end - start).max(initial=1))))
    x = (at - centre[:, None] + 0.5) / stretch
    weights = np.where(at < end[:, None], window(x), 0)
    return np.minimum(at, n - 1), weights / weights.sum(1, keepdims=True)


@functools.lru_cache(maxsize=64)
def matrix(plan):
    """The plan as a matrix (outputs, inputs)."""
    at, weights = taps(plan)
    dense = np.zeros((len(at), plan[1]))
    np.add.at(dense, (np.arange(len(at))[:, None], at), weights)
    return dense


# ---- applying plans ------------------------------------------------------------------------------


def along(x, axis, dense):
    """dense @ x along an axis."""
    dense = dense.astype(x.dtype)
    if axis == x.ndim - 1:
        return np.matmul(x, dense.T)
    moved = x.reshape(*x.shape[: axis + 1], math.prod(x.shape[axis + 1 :]))
    return np.matmul(dense, moved).reshape(*x.shape[:axis], len(dense), *x.shape[axis + 1 :])


def weights_along(weights, axis, ndim, dtype):
    """A weight per result element, in the shape that broadcasts along an axis."""
    return weights.astype(dtype).reshape([-1 if k == axis else 1 for k in range(ndim)])


def apply_plan(x, axis, plan):
    """One axis of x resampled."""
    at, weights = taps(plan)
    if not len(at):
        return np.empty((*x.shape[:axis], 0, *x.shape[axis + 1 :]), x.dtype)
    if at.shape[1] == 1:
        return x.take(at[:, 0], axis)
    if weights.size and len(at) * plan[1] <= _DENSE:
        done = along(x, axis, matrix(plan))
        if is_finite(done):
            return done
    total: Any = 0
    for k in range(at.shape[1]):
        total = total + weighted(x.take(at[:, k], axis), weights[:, k], axis)
    return total


def is_finite(x):
    """Whether all elements are numbers. Others fill whole rows of a product with a matrix, whose
    zeros stand for elements that have no part in a result."""
    return bool(np.isfinite(np.add.reduce(x, None)))


def weighted(x, weights, axis):
    """x times a weight for each place along an axis; a weight of 0 leaves 0 of anything."""
    product = x * weights_along(weights, axis, x.ndim, x.dtype)
    nothing = np.flatnonzero(weights == 0)
    if len(nothing):
        product[(slice(None),) * axis + (nothing,)] = 0
    return product


def scatter_along(g, axis, at, n):
    """Zeros of n elements along an axis, with g added at the positions `at`."""
    order = np.argsort(at, kind="stable")
    numbers = at[order]
    starts = np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1])))
    sums = np.add.reduceat(g.take(order, axis), starts, axis)
    shape = list(g.shape)
    shape[axis] = n
    out = np.zeros(shape, g.dtype)
    out[(slice(None),) * axis + (numbers[starts],)] = sums
    return out


def transpose_plan(g, axis, plan):
    """The transpose of apply_plan."""
    at, weights = taps(plan)
    if not at.size:
        shape = list(g.shape)
        shape[axis] = plan[1]
        return np.zeros(shape, g.dtype)
    if at.shape[1] > 1 and len(at) * plan[1] <= _DENSE:
        done = along(g, axis, matrix(plan).T)
        if is_finite(done):
            return done
    total: Any = 0
    for k in range(at.shape[1]):
        part = weighted(g, weights[:, k], axis) if at.shape[1] > 1 else g
        total = total + scatter_along(part, axis, at[:, k], plan[1])
    return total


def in_format(out, x, plans):
    """Images keep channels last in memory where PyTorch keeps them."""
    kinds = {plan[0] for plan in plans if plan is not None}
    whole = x.ndim == len(plans) + 2 or kinds & {"reflect", "replicate"}  # a batch, or padding
    if not whole or "circular" in kinds or (len(plans) == 3 and "area" in kinds):
        return np.ascontiguousarray(out)
    return lying_as(np.ascontiguousarray(out), x)


@op(
    vjp={"x": lambda g, plans: resample_back(g, plans=plans)},
    linear_in=("x",),
    batch=Front(),
)
def resample(x, *, plans):
    """The last dimensions of x resampled, each by its plan (None: left alone)."""
    y = wide(x)
    first = x.ndim - len(plans)
    for k, plan in enumerate(plans):
        if plan is not None:
            y = apply_plan(y, first + k, plan)
    return in_format(y.astype(x.dtype, copy=False), x, plans)


@op(vjp={"g": lambda g, plans: resample(g, plans=plans)}, linear_in=("g",), batch=Front())
def resample_back(g, *, plans):
    """The transpose of resample."""
    y = wide(g)
    first = g.ndim - len(plans)
    for k, plan in enumerate(plans):
        if plan is not None:
            y = transpose_plan(y, first + k, plan)
    return in_format(y.astype(g.dtype, copy=False), g, plans)


# ---- bytes ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def byte_taps(plan):
    """taps with whole weights, and by how many bits their sums are shifted back."""
    at, weights = (part.copy() for part in taps(plan))
    for k in range(1, at.shape[1]):  # what lies beyond the border has one weight with the border
        same = at[:, k] == at[:, k - 1]
        weights[:, k] += np.where(same, weights[:, k - 1], 0)
        weights[:, k - 1] = np.where(same, 0, weights[:, k - 1])
    bits = 0
    while bits < 22 and int(0.5 + weights.max(initial=0) * (1 << bits + 1)) < 1 << 15:
        bits += 1
    scaled = weights * (1 << bits)
    return at, np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int32), bits


@op(nondiff=("x",), batch=Front())
def resample_bytes(x, *, plans):
    """resample of images of bytes as PyTorch does it: whole weights, rounded after each axis."""
    y, first = x, x.ndim - len(plans)
    for k in reversed(range(len(plans))):
        at, weights, bits = byte_taps(plans[k])
        total = np.full((), 1 << bits - 1, np.int32)
        for j in range(at.shape[1]):
            part = np.take(y, np.asarray(at[:, j], np.int64), first + k).astype(np.int32)
            total = total + part * weights_along(weights[:, j], first + k, x.ndim, np.int32)
        y = np.clip(total >> bits, 0, 255).astype(np.uint8)
    return in_format(y, x, plans)


# ---- padding with a constant ---------------------------------------------------------------------


@op(
    vjp={
        "x": lambda g, pads: constant_pad(
            g, pads=tuple((-before, -after) for before, after in pads), value=0
        )
    },
    jvp={"x": lambda t, pads: constant_pad(t, pads=pads, value=0)},
    batch=Front(),
    node="ConstantPadNdBackward0",
    aten=("constant_pad_nd",),
)
def constant_pad(x, *, pads, value):
    """The last dimensions grown by (before, after) elements of a value; negative ones cut off."""
    lead = x.ndim - len(pads)
    shape, source, target = list(x.shape), [slice(None)] * x.ndim, [slice(None)] * x.ndim
    for k, (before, after) in enumerate(pads):
        n = x.shape[lead + k]
        shape[lead + k] = n + before + after
        source[lead + k] = slice(max(0, -before), n - max(0, -after))
        target[lead + k] = slice(max(0, before), n + before + min(0, after))
    out = np.full(shape, value, x.dtype)
    out[tuple(target)] = x[tuple(source)]
    return lying_as(out, x)
