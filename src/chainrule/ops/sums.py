"""Sums whose error does not grow with their length, along any axes of any layout.

NumPy adds pairwise only along the axis that is contiguous in memory, and one after the other along
others: the sum of 100,000 float32 numbers is then wrong in the third digit. Machine code adds few
numbers in a tree and these sums as doubles; arrays that are not contiguous are read in the order of
their memory, and in pieces that fit the cache where they have gaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import F32, F64
from .kernels import fast
from .layout import in_order

_SMALL = 1 << 14
_THREADED = 1 << 15  # elements from which threads share the work
_PIECE = 1 << 16  # elements of a piece of an array with gaps
_FEW = 32  # numbers whose order makes no difference that counts
_TALL = 4096  # rows from which columns are summed in groups of rows, in the order of memory
_PLANS: dict = {}


def kept(shape, axis):
    """`shape` with the reduced axes as 1."""
    return tuple(1 if i in axis else n for i, n in enumerate(shape))


def count_of(shape, axis):
    """How many elements one reduced value stands for."""
    n = 1
    for a in axis:
        n *= shape[a]
    return n


def summed(x, axis, keepdims=False):
    """The sum over `axis`, a tuple; float32, float64 and complex numbers without loss of digits."""
    dtype = x.dtype
    if (dtype is F32 or dtype is F64) and axis and x.size:
        done = native_sum(x, axis, keepdims)
        if done is not None:
            return done
    elif dtype.kind not in "fc" or not axis or not x.size:
        return in_order(np.add.reduce(x, axis, keepdims=keepdims))
    elif dtype.kind == "c":
        real = summed(x.real, axis, keepdims)
        return np.asarray(real + 1j * summed(x.imag, axis, keepdims), dtype)
    if count_of(x.shape, axis) <= _FEW:
        return in_order(np.add.reduce(x, axis, keepdims=keepdims))
    if x.size <= _SMALL:
        return in_order(np.add.reduce(x, axis, F64, keepdims=keepdims)).astype(dtype)
    return without(_sum_in_order(x, axis), axis, keepdims)


def summed_of(function, axis, x, *others):
    """The sum of function(x, *others) over `axis`, which is kept; the others broadcast to x.

    What the function makes is held in pieces only.
    """
    if x.size <= 2 * _PIECE:
        return summed(function(x, *others), axis, True)
    along = max(range(x.ndim), key=lambda k: x.shape[k])
    step = max(1, _PIECE * x.shape[along] // x.size)
    totals: Any = None
    inside = along in axis
    for start in range(0, x.shape[along], step):
        piece = (slice(None),) * along + (slice(start, start + step),)
        given = [a if a.shape[along] == 1 else a[piece] for a in others]
        part = summed(function(x[piece], *given), axis, True)
        if totals is None:
            wider = np.result_type(part.dtype, F64) if inside else part.dtype
            totals = np.zeros(kept(x.shape, axis), wider)
            dtype = part.dtype
        if inside:
            totals += part
        else:
            totals[piece] = part
    return totals.astype(dtype, copy=False)


def without(total, axis, keepdims):
    """A kept sum without its reduced axes, if they are not wanted."""
    return total if keepdims else total.reshape(
        [n for k, n in enumerate(total.shape) if k not in axis])  # fmt: skip


# ---- contiguous arrays ---------------------------------------------------------------------------


_KERNELS = {
    (True,): "all", (False, True): "rows", (True, False): "columns",
    (True, False, True): "channels", (False, True, False): "middle",
}  # fmt: skip


def sum_plan(shape, axis, keepdims):
    """How native kernels sum a contiguous array: (kernel, sizes of merged dimensions, result's
    shape). Where no kernel is for it the kernel is a tuple: the axes to be summed first."""
    groups: list = []  # [whether summed, size, axes]
    for k, n in enumerate(shape):
        if n == 1 and len(shape) > 1:
            continue
        if groups and groups[-1][0] == (k in axis):
            groups[-1][1] *= n
            groups[-1][2] += (k,)
        else:
            groups.append([k in axis, n, (k,)])
    kinds, sizes = tuple(s for s, _, _ in groups), tuple(n for _, n, _ in groups)
    kernel: object = _KERNELS.get(kinds)
    if kernel is None and True in kinds:
        kernel = next(axes for is_summed, _, axes in reversed(groups) if is_summed)
    result = kept(shape, axis) if keepdims else tuple(
        n for k, n in enumerate(shape) if k not in axis)  # fmt: skip
    return kernel, sizes, result


def native_sum(x, axis, keepdims):
    """The sum of a float32 or float64 array by machine code, or None."""
    key = (x.shape, axis, keepdims)
    plan = _PLANS.get(key)
    if plan is None:
        plan = sum_plan(*key)
        if len(_PLANS) < 1024:
            _PLANS[key] = plan
    kernel, sizes, shape = plan
    large = x.size >= _THREADED
    if kernel == "all":
        done = fast.sum_parts(x, 16) if large else fast.sum_all(x)
        if large and done is not None:
            done = np.add.reduce(done).astype(x.dtype)
    elif kernel == "rows":
        done = fast.row_sums(x, *sizes)
    elif kernel == "columns":
        done = _tall_sums(x, *sizes) if large else fast.wide_column_sums(x, *sizes, 1)
    elif kernel == "channels":
        done = fast.channel_sums(x, *sizes)
    elif kernel == "middle":
        done = fast.middle_sums(x, *sizes)
    elif kernel is None:
        return None
    else:
        done = native_sum(x, kernel, True)
        return None if done is None else native_sum(done, axis, keepdims)
    return done if done is None or done.shape == shape else done.reshape(shape)


def _tall_sums(x, rows, n):
    """The sums of the columns of a large array, shared between threads."""
    if n >= 256 and rows <= _TALL:
        return fast.wide_column_sums(x, rows, n, min(16, n // 64))
    done = fast.column_sums(x, rows, n, min(16, rows))
    return None if done is None else np.add.reduce(done, 0).astype(x.dtype)


# ---- other layouts -------------------------------------------------------------------------------


def _sum_in_order(x, axis):
    """The sum of an array of any layout; the result keeps the reduced axes."""
    factor, index = 1, []
    for k, (n, step) in enumerate(zip(x.shape, x.strides, strict=True)):
        if step == 0 and n > 1:  # repeated elements
            index.append(slice(0, 1))
            factor *= n if k in axis else 1
        else:
            index.append(slice(None, None, -1 if step < 0 else 1))
    y = x[tuple(index)]
    order = sorted(range(y.ndim), key=lambda k: -y.strides[k] if y.shape[k] > 1 else 0)
    turned = y.transpose(order)
    over = tuple(sorted(order.index(k) for k in axis))
    if turned.flags.c_contiguous:
        total = _sum_of_dense(turned, over)
    else:
        total = _sum_by_pieces(turned, over)
    total = total.transpose(np.argsort(order))
    if factor != 1:
        total = total * x.dtype.type(factor)
    flips = tuple(
        slice(None, None, -1 if s < 0 and k not in axis else 1) for k, s in enumerate(x.strides)
    )
    return np.array(np.broadcast_to(total[flips], kept(x.shape, axis)), x.dtype, order="C")


def _sum_of_dense(x, axis):
    """The sum of a contiguous array, which keeps the reduced axes."""
    done = native_sum(x, axis, True)
    if done is None:  # there is no machine code
        done = np.add.reduce(x, axis, F64, keepdims=True)
    return done


def _sum_by_pieces(x, axis):
    """The sum of an array with gaps: pieces of its longest axis are made contiguous."""
    along = max(range(x.ndim), key=lambda k: x.shape[k])
    step = max(1, _PIECE * x.shape[along] // x.size)
    totals = np.zeros(kept(x.shape, axis), F64 if along in axis else x.dtype)
    for start in range(0, x.shape[along], step):
        piece = (slice(None),) * along + (slice(start, start + step),)
        part = _sum_of_dense(np.ascontiguousarray(x[piece]), axis)
        if along in axis:
            totals += part
        else:
            totals[piece] = part
    return totals
