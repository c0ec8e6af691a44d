"""Pooling over the last dimensions; everything before them is batch.

Maxima keep no positions: the rules ask `max_pool_index` for them when a gradient is wanted. A
position is the number of an element within the spatial dimensions, as PyTorch's `return_indices`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .batching import Front
from .halves import wide
from .kernels import fast
from .layout import lying_as
from .schema import TABLE, helper, op
from .select import pick

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def pooled_size(n, k, s, p, d, ceil):
    """The number of windows along one dimension."""
    span = n + 2 * p - d * (k - 1) - 1
    count = (span + (s - 1 if ceil else 0)) // s + 1
    if ceil and (count - 1) * s >= n + p:
        count -= 1  # a window may not start in the padding on the right
    return count


def pooled_sizes(spatial, kernel, stride, padding, dilation, ceil):
    """pooled_size of each dimension."""
    sizes = zip(spatial, kernel, stride, padding, dilation, strict=True)
    return tuple([pooled_size(n, k, s, p, d, ceil) for n, k, s, p, d in sizes])


def pooled_types(x, *, kernel, stride, padding, ceil, dilation=None, **rest):
    """The type of what windows of an image give."""
    nd = len(kernel)
    out = pooled_sizes(x.shape[-nd:], kernel, stride, padding, dilation or (1,) * nd, ceil)
    return [((*x.shape[:-nd], *out), x.dtype)]


def lowest(dtype):
    """The value that no maximum can be below."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return dtype.type(-np.inf)


def padded_for(x, nd, out, kernel, stride, padding, dilation, value):
    """x with `value` around it, as far as the windows reach."""
    spatial = x.shape[x.ndim - nd :]
    after = [
        max(0, (o - 1) * s + d * (k - 1) + 1 - n - p)
        for o, s, d, k, n, p in zip(out, stride, dilation, kernel, spatial, padding, strict=True)
    ]
    if not any(padding) and not any(after):
        return x
    shape = (
        *x.shape[: x.ndim - nd],
        *(n + p + a for n, p, a in zip(spatial, padding, after, strict=True)),
    )
    full = np.full(shape, value, x.dtype)
    full[(..., *(slice(p, p + n) for p, n in zip(padding, spatial, strict=True)))] = x
    return full


def window_slices(offset, out, stride, dilation):
    """The elements that all windows have at one offset."""
    return (
        ...,
        *(
            slice(k * d, k * d + s * (o - 1) + 1, s)
            for k, o, s, d in zip(offset, out, stride, dilation, strict=True)
        ),
    )


def halves(kernel, stride, padding, dilation, ceil):
    """Whether windows are blocks of 2 x 2 side by side."""
    return (
        kernel == (2, 2) and stride == (2, 2) and padding == (0, 0) and dilation == (1, 1)
        and not ceil
    )  # fmt: skip


def native_max_gradient(g, x, kernel, stride, padding, dilation, ceil):
    """max_gradient by machine code, or None."""
    if len(kernel) != 2:
        return None
    if halves(kernel, stride, padding, dilation, ceil):
        done = fast.max_pool_halves_gradient(g, x)
        if done is not None:
            return done
    return fast.max_pool2d_gradient(g, x, *kernel, *stride, *padding, *dilation)


def max_forward(x, kernel, stride, padding, dilation, ceil):
    """The largest element of each window."""
    nd = len(kernel)
    out = pooled_sizes(x.shape[x.ndim - nd :], kernel, stride, padding, dilation, ceil)
    if nd == 2:
        if halves(kernel, stride, padding, dilation, ceil):
            done = fast.max_pool_halves(x, *out)
        else:
            done = fast.max_pool2d(x, *out, *kernel, *stride, *padding, *dilation)
        if done is not None:
            return done.reshape(*x.shape[:-2], *out)
    full = padded_for(x, nd, out, kernel, stride, padding, dilation, lowest(x.dtype))
    best = None
    for offset in np.ndindex(*kernel):
        part = full[window_slices(offset, out, stride, dilation)]
        best = part.copy() if best is None else np.maximum(best, part, out=best)
    return best


def max_gradient(g, x, best, kernel, stride, padding, dilation, ceil):
    """Each window's gradient at its first largest element, offset by offset."""
    nd = len(kernel)
    out = g.shape[g.ndim - nd :]
    full = padded_for(x, nd, out, kernel, stride, padding, dilation, lowest(x.dtype))
    total = np.zeros(full.shape, g.dtype)
    free = np.ones(g.shape, bool)
    overlap = any(s < d * (k - 1) + 1 for s, d, k in zip(stride, dilation, kernel, strict=True))
    for offset in np.ndindex(*kernel):
        place = window_slices(offset, out, stride, dilation)
        hit = full[place] == best
        hit &= free
        free ^= hit
        share = pick(hit, g, 0.0)
        if overlap:
            total[place] += share
        else:
            total[place] = share
    if total.shape == x.shape:
        return total
    spatial = x.shape[x.ndim - nd :]
    inner = tuple(slice(p, p + n) for p, n in zip(padding, spatial, strict=True))
    return np.ascontiguousarray(total[(..., *inner)])


def first_inside(out, stride, padding, dilation, axis, nd):
    """Per window, the first position along an axis that is not padding."""
    start = np.arange(out[axis]) * stride[axis] - padding[axis]
    inside = start + np.maximum(0, -(start // dilation[axis])) * dilation[axis]
    return inside.reshape([-1 if k == axis else 1 for k in range(nd)])


@op(nondiff=("x",), batch=Front())
def max_pool_index(x, *, kernel, stride, padding, dilation, ceil):
    """The position of the (first) largest element of each window; NaN counts as largest."""
    nd = len(kernel)
    spatial = x.shape[x.ndim - nd :]
    out = pooled_sizes(spatial, kernel, stride, padding, dilation, ceil)
    full = padded_for(x, nd, out, kernel, stride, padding, dilation, lowest(x.dtype))
    steps = [math.prod(spatial[k + 1 :]) for k in range(nd)]
    best = np.full((*x.shape[: x.ndim - nd], *out), lowest(x.dtype), x.dtype)
    number = np.full(best.shape, -1, np.int16)
    floats = x.dtype.kind in "fV" and not np.equal(x, x).all()
    shifts = []
    for k, offset in enumerate(np.ndindex(*kernel)):
        part = full[window_slices(offset, out, stride, dilation)]
        better = part > best
        if floats:
            better |= part != part
        np.copyto(best, part, where=better)
        np.copyto(number, k, where=better)
        shifts.append(sum(o * d * s for o, d, s in zip(offset, dilation, steps, strict=True)))
    corner, first = 0, 0
    for k in range(nd):
        shape = [-1 if j == k else 1 for j in range(nd)]
        corner = corner + ((np.arange(out[k]) * stride[k] - padding[k]) * steps[k]).reshape(shape)
        first = first + first_inside(out, stride, padding, dilation, k, nd) * steps[k]
    position = np.asarray(shifts)[number] + corner
    return lying_as(np.where(number < 0, first, position), x)


# ---- by position ---------------------------------------------------------------------------------


def rows_of(x, index, nd):
    """(x with its spatial dimensions as one, index likewise)."""
    lead = x.shape[: x.ndim - nd]
    return (
        x.reshape(math.prod(lead), math.prod(x.shape[x.ndim - nd :])),
        index.reshape(math.prod(lead), math.prod(index.shape[index.ndim - nd :])),
    )


@op(
    vjp={
        "x": lambda g, index, x_shape, nd: put_positions(
            g, index, spatial=x_shape[len(x_shape) - nd :], nd=nd, assign=False
        )
    },
    linear_in=("x",),
    nondiff=("index",),
    batch=Front(),
)
def take_positions(x, index, *, nd):
    """The elements of x at positions within its last nd dimensions."""
    values, places = rows_of(x, index, nd)
    return lying_as(np.take_along_axis(values, places, 1).reshape(index.shape), index)


def _declare_put(name, node):
    def forward(x, index, *, spatial, nd, assign):
        """Zeros with x at positions within the last nd dimensions: added, or assigned."""
        values, places = rows_of(x, index, nd)
        rows, size = len(values), math.prod(spatial)
        lead = x.shape[: x.ndim - nd]
        flat = (places + np.arange(rows)[:, None] * size).reshape(-1)
        if assign or x.dtype.kind not in "fV":
            out = np.zeros(rows * size, x.dtype)
            if assign:
                out[flat] = values.reshape(-1)
            else:
                np.add.at(out, flat, values.reshape(-1))
        else:
            weights = wide(values).reshape(-1)
            out = np.bincount(flat, weights=weights, minlength=rows * size).astype(x.dtype)
        out = out.reshape(*lead, *spatial)
        return lying_as(out, x) if nd == 2 or not assign else out

    op(
        name=name, node=node, nondiff=("index",), linear_in=("x",), batch=Front(),
        vjp={"x": lambda g, index, nd: take_positions(g, index, nd=nd)},
    )(forward)  # fmt: skip


_declare_put("put_positions", None)
for _n in (1, 2, 3):
    _declare_put(f"max_unpool{_n}d", "SqueezeBackward1" if _n == 1 else f"MaxUnpool{_n}DBackward0")


@helper
def max_gradient_in_ops(g, x, kernel, stride, padding, dilation, ceil):
    """max_gradient, written in ops."""
    index = max_pool_index(
        x, kernel=kernel, stride=stride, padding=padding, dilation=dilation, ceil=ceil
    )
    nd = len(kernel)
    spatial = tuple(x.shape)[len(x.shape) - nd :]
    return put_positions(g, index, spatial=spatial, nd=nd, assign=False)


def _max_joint(gradient):
    """The rule on arrays; the functions come through a closure, as they speak NumPy."""
    position, put = max_pool_index, TABLE["put_positions"].forward
    native, best, lay = native_max_gradient, max_forward, lying_as

    def joint(g, mask, x, out, kernel, stride, padding, dilation, ceil):
        done = native(g, x, kernel, stride, padding, dilation, ceil)
        if done is not None:
            return (lay(done, x),)
        if out is None:  # overwritten, as by an activation in place
            out = best(x, kernel, stride, padding, dilation, ceil)
        if x.dtype.kind == "f" and not (out == out).all():  # NaN equals nothing: go by position
            index = position(
                x, kernel=kernel, stride=stride, padding=padding, dilation=dilation, ceil=ceil
            )
            nd = len(kernel)
            return (put(g, index, spatial=x.shape[x.ndim - nd :], nd=nd, assign=False),)
        return (lay(gradient(g, x, out, kernel, stride, padding, dilation, ceil), x),)

    return joint


def _declare_max_pool(name, node, *inner):
    def forward(x, *, kernel, stride, padding, dilation, ceil):
        """The largest element of each window."""
        found: Any = max_forward(x, kernel, stride, padding, dilation, ceil)
        return lying_as(found, x)

    op(
        name=name, node=node, batch=Front(), joint=_max_joint(max_gradient), overwritable=("out",),
        flat=("x",), aten=(name, *inner), types=pooled_types,
        plain_joint=lambda g, mask, x, kernel, stride, padding, dilation, ceil: (
            max_gradient_in_ops(g, x, kernel, stride, padding, dilation, ceil),),
        jvp={"x": lambda t, x, kernel, stride, padding, dilation, ceil: take_positions(
            t, max_pool_index(x, kernel=kernel, stride=stride, padding=padding, dilation=dilation,
                              ceil=ceil), nd=len(kernel))},
    )(forward)  # fmt: skip


_declare_max_pool("max_pool1d", "SqueezeBackward1")
_declare_max_pool("max_pool2d", "MaxPool2DWithIndicesBackward0", "max_pool2d_with_indices")
_declare_max_pool("max_pool3d", "MaxPool3DWithIndicesBackward0", "max_pool3d_with_indices")


@op(nondiff=("x",), batch=Front())
def adaptive_max_index(x, *, out):
    """The position of the largest element of each of `out` nearly equal regions."""
    nd = len(out)
    spatial = x.shape[x.ndim - nd :]
    index = region_argmax(x, [adaptive_bounds(n, o) for n, o in zip(spatial, out, strict=True)])
    return lying_as(index, x) if nd == 2 else index


def adaptive_bounds(n, o):
    """(start, end) of `o` regions that cover n elements."""
    i = np.arange(o)
    return list(zip((i * n // o).tolist(), (-(-(i + 1) * n // o)).tolist(), strict=True))


def region_argmax(x, bounds):
    """The position of the largest element of each box; `bounds` lists (start, end) per axis."""
    nd = len(bounds)
    if any(len(b) > 2 * n for b, n in zip(bounds, x.shape[x.ndim - nd :], strict=True)):
        # More regions than there are different ones: each of these is looked at once.
        unique = [{pair: k for k, pair in enumerate(dict.fromkeys(b))} for b in bounds]
        found = region_argmax(x, [list(u) for u in unique])
        for axis, (b, u) in enumerate(zip(bounds, unique, strict=True), x.ndim - nd):
            found = found.take([u[pair] for pair in b], axis)
        return found
    lead, spatial = x.shape[: x.ndim - nd], x.shape[x.ndim - nd :]
    steps = [math.prod(spatial[k + 1 :]) for k in range(nd)]
    result = np.empty((*lead, *(len(b) for b in bounds)), np.int64)
    for cell in np.ndindex(*(len(b) for b in bounds)):
        box = [b[i] for b, i in zip(bounds, cell, strict=True)]
        part = x[(..., *(slice(a, e) for a, e in box))]
        local = part.reshape(*lead, math.prod(part.shape[len(lead) :])).argmax(-1)
        where = np.unravel_index(local, [e - a for a, e in box])
        result[(..., *cell)] = sum(
            (w + a) * s for w, (a, _), s in zip(where, box, steps, strict=True)
        )
    return result


def fractional_starts(u, n, k, o):
    """Where o windows of k elements start so that they cover n elements at uneven steps."""
    if o == 1:
        return np.asarray([n - k])
    step = u.dtype.type((n - k) / (o - 1))
    first = np.trunc(u * step)
    starts = (np.trunc((np.arange(o - 1, dtype=u.dtype) + u) * step) - first).astype(np.int64)
    return np.append(starts, n - k)


@op(nondiff=("x", "samples"), batch="loop")
def fractional_index(x, samples, *, kernel, out):
    """The position of the largest element of each randomly placed window."""
    nd = len(kernel)
    spatial = x.shape[x.ndim - nd :]
    planes = x.reshape(-1, *spatial)
    draws = wide(samples).reshape(-1, nd)
    if nd == 2:
        draws = draws[:, ::-1]  # the first draw is the width's
    result = np.empty((len(planes), *out), np.int64)
    for i, (plane, draw) in enumerate(zip(planes, draws, strict=True)):
        bounds = [
            [(int(s), int(s) + k) for s in fractional_starts(u, n, k, o)]
            for u, n, k, o in zip(draw, spatial, kernel, out, strict=True)
        ]
        result[i] = region_argmax(plane, bounds)
    return result.reshape(*x.shape[: x.ndim - nd], *out)


# ---- means ---------------------------------------------------------------------------------------


def window_counts(spatial, out, kernel, stride, padding, include_pad, divisor):
    """By how much each window's sum is divided, as something that broadcasts."""
    if divisor:
        return divisor
    counts = np.ones((1,) * len(kernel))
    for axis, (n, o, k, s, p) in enumerate(zip(spatial, out, kernel, stride, padding, strict=True)):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)
        size = end - start if include_pad else np.minimum(end, n) - np.maximum(start, 0)
        counts = counts * size.reshape([-1 if j == axis else 1 for j in range(len(kernel))])
    return counts


def axis_slices(x, axis, start, count, step):
    """x at count positions along an axis (counted from the end)."""
    key = [slice(None)] * x.ndim
    key[x.ndim - axis] = slice(start, start + step * (count - 1) + 1, step)
    return x[tuple(key)]


def average_forward(x, kernel, stride, padding, ceil, include_pad, divisor):
    """The mean of each window: sums one dimension at a time, then divides."""
    nd, y = len(kernel), wide(x)
    spatial, one = x.shape[x.ndim - nd :], (1,) * nd
    out = pooled_sizes(spatial, kernel, stride, padding, one, ceil)
    if nd == 2 and not (divisor and divisor < 0):
        if not divisor and halves(kernel, stride, padding, one, ceil):
            done = fast.avg_pool_halves(x, *out)
        else:
            geometry = (*out, *kernel, *stride, *padding, include_pad, divisor or 0)
            done = fast.avg_pool2d(x, *geometry)
        if done is not None:
            return done.reshape(*x.shape[:-2], *out)
    y = padded_for(y, nd, out, kernel, stride, padding, one, 0)
    for axis in range(nd):
        place = nd - axis
        total = axis_slices(y, place, 0, out[axis], stride[axis]).copy()
        for k in range(1, kernel[axis]):
            total += axis_slices(y, place, k, out[axis], stride[axis])
        y = total
    counts = window_counts(spatial, out, kernel, stride, padding, include_pad, divisor)
    if y.dtype.kind in "iu":
        counts = np.asarray(counts, y.dtype)
        whole = np.abs(y) // np.abs(counts)  # towards 0, as in C
        return (np.sign(y) * np.sign(counts) * whole).astype(x.dtype, copy=False)
    return (y / np.asarray(counts, y.dtype)).astype(x.dtype, copy=False)


def average_backward(g, spatial, kernel, stride, padding, ceil, include_pad, divisor):
    """The transpose of average_forward."""
    nd = len(kernel)
    out = g.shape[g.ndim - nd :]
    if nd == 2 and not (divisor and divisor < 0):
        if not divisor and halves(kernel, stride, padding, (1, 1), ceil):
            done = fast.avg_pool_halves_gradient(g, *spatial)
        else:
            geometry = (*spatial, *kernel, *stride, *padding, include_pad, divisor or 0)
            done = fast.avg_pool2d_gradient(g, *geometry)
        if done is not None:
            return done.reshape(*g.shape[:-2], *spatial)
    counts = window_counts(spatial, out, kernel, stride, padding, include_pad, divisor)
    y = wide(g)
    y = y / np.asarray(counts, y.dtype)
    for axis in range(nd):
        place = nd - axis
        n, p = spatial[axis], padding[axis]
        reach = max(n + p, (out[axis] - 1) * stride[axis] + kernel[axis])
        shape = list(y.shape)
        shape[y.ndim - place] = reach
        total = np.zeros(shape, y.dtype)
        for k in range(kernel[axis]):
            part = axis_slices(total, place, k, out[axis], stride[axis])
            part += y
        y = axis_slices(total, place, p, n, 1)
    return np.ascontiguousarray(y).astype(g.dtype, copy=False)


@op(
    vjp={
        "g": lambda g, kernel, stride, padding, ceil, include_pad, divisor: avg_pool2d(
            g, kernel=kernel, stride=stride, padding=padding, ceil=ceil, include_pad=include_pad,
            divisor=divisor)
    },
    linear_in=("g",),
    batch=Front(),
)  # fmt: skip
def avg_unpool(g, *, spatial, kernel, stride, padding, ceil, include_pad, divisor):
    """Each mean's gradient spread over its window: the transpose of avg_pool."""
    out = average_backward(g, spatial, kernel, stride, padding, ceil, include_pad, divisor)
    return lying_as(out, g) if len(kernel) == 2 else out


def _declare_avg_pool(name, node):
    def forward(x, *, kernel, stride, padding, ceil, include_pad, divisor):
        """The mean of each window."""
        mean = average_forward(x, kernel, stride, padding, ceil, include_pad, divisor)
        return lying_as(mean, x) if len(kernel) == 2 else mean

    op(
        name=name, node=node, linear_in=("x",), batch=Front(), flat=("x",), types=pooled_types,
        vjp={"x": lambda g, x_shape, kernel, stride, padding, ceil, include_pad, divisor:
             avg_unpool(g, spatial=x_shape[len(x_shape) - len(kernel):], kernel=kernel,
                        stride=stride, padding=padding, ceil=ceil, include_pad=include_pad,
                        divisor=divisor)},
    )(forward)  # fmt: skip


_declare_avg_pool("avg_pool1d", "SqueezeBackward1")
_declare_avg_pool("avg_pool2d", "AvgPool2DBackward0")
_declare_avg_pool("avg_pool3d", "AvgPool3DBackward0")
