"""Element-wise gather and scatter along one axis, and rows picked or summed by a 1-D index.

`gather` reads, `scatter_sum` is its transpose; the same for `index_select` and `index_axis_sum`.
Sums into a buffer go through flat positions: NumPy's `add.at` is several times faster on one flat
index than on rows (256 rows of 64: 78 against 328 µs), and a sparse product is faster still for
many elements (4096 rows of 256: 2.3 against 15.6 ms).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import ir
from .batching import Front, Plain
from .embedding import rows_by_number, sum_by_number, sum_in_blocks
from .halves import wide
from .kernels import fast
from .later import Later
from .schema import helper, op
from .shape import in_c_order

interrupts = Later(".interrupts", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_SPARSE_FROM = 1 << 16  # elements from which building a sparse matrix pays
_FEW = 64  # elements that NumPy gathers sooner than another call


# ---- positions -----------------------------------------------------------------------------------


def along_key(index, axis) -> Any:
    """The index tuple that reads `index` along `axis` and every other axis in step."""
    if index.ndim <= 1:
        return (index,)
    shape = index.shape
    grid = small_grid(shape, axis) if index.size <= 4096 else whole_grid(shape, axis)
    return (*grid[:axis], index, *grid[axis + 1 :])


def whole_grid(shape, axis):
    """Per axis the numbers 0..n-1, shaped to run along it; None for `axis` itself."""
    last = len(shape) - 1
    return tuple(
        None if d == axis else np.arange(n).reshape([-1] + [1] * (last - d))
        for d, n in enumerate(shape)
    )


small_grid = functools.lru_cache(256)(whole_grid)


def flat_places(index, axis, shape):
    """For each element of `index` its position in a C-ordered array of `shape`."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    places = index * strides[axis]
    for d, step in enumerate(strides):
        if d != axis and index.shape[d] != 1:
            line = np.arange(0, index.shape[d] * step, step)
            places += line.reshape([-1] + [1] * (index.ndim - 1 - d))
    return places


def same_numbers(index, axis):
    """The numbers of an index that are the same for every place of the other axes (an expanded
    one), else None."""
    if index.ndim < 2 or index.flags.c_contiguous:
        return None
    for d, step in enumerate(index.strides):
        if d != axis and step and index.shape[d] != 1:
            return None
    return index[(0,) * axis + (slice(None),) + (0,) * (index.ndim - axis - 1)]


def in_three(shape, axis):
    """A shape with the axis in the middle: what comes before and behind it as one each."""
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])


def equal_but_along(a, b, axis):
    """Whether two shapes differ along the axis at most."""
    return a[:axis] == b[:axis] and a[axis + 1 :] == b[axis + 1 :]


_SHARED = 1 << 15  # elements from which columns are divided among threads
_LATER, _SUM, _PRODUCT, _LARGER, _SMALLER = range(5)  # what is kept where values meet


def scattered(x, index, values, axis, shape, way):
    """x (None: zeros) of `shape` with values folded in by machine code; None where it is not for
    these arrays."""
    if values.dtype.char not in "fd" or not equal_but_along(index.shape, shape, axis):
        return None
    if values.dtype != (values if x is None else x).dtype or not index.size:
        return None
    outer, n, inner = whole = in_three(shape, axis)
    few = in_three(index.shape, axis)
    pieces = 1 if outer > 1 or index.size < _SHARED or inner < 32 else 2 if inner < 256 else 4
    start = None if x is None else np.ascontiguousarray(x).reshape(whole)
    values = np.ascontiguousarray(values).reshape(few)
    numbers = np.ascontiguousarray(index).reshape(few)
    done = fast.scattered(values, numbers, start, n, way, outer * pieces)
    return None if done is None else done.reshape(shape)


def add_along(out, index, values, axis):
    """out[index along axis] += values, repeated places adding up."""
    if index.size <= 1024 and out.dtype.itemsize > 2:
        np.add.at(out, along_key(index, axis), values)
    else:
        add_at(out, flat_places(index, axis, out.shape), values)


def add_at(out, places, values):
    """out.flat[places] += values, in order, repeated places adding up."""
    if out.dtype.kind in "V" or out.dtype.itemsize == 2:
        total = out.astype(np.float32)
        np.add.at(total.reshape(-1), places.reshape(-1), values.astype(np.float32).reshape(-1))
        out[...] = total
    else:
        np.add.at(out.reshape(-1), places.reshape(-1), values.reshape(-1))


# ---- gather and scatter --------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, index, axis, x_shape: scatter_sum(g, index, axis=axis, shape=x_shape)},
    linear_in=("x",),
    nondiff=("index",),
    batch=Front(axes=("axis",)),
)
def gather(x, index, *, axis):
    """out[i, j] = x[index[i, j], j] for axis 0; `index` may be shorter in the other axes."""
    if equal_but_along(index.shape, x.shape, axis) and index.size > _FEW:
        numbers = same_numbers(index, axis)
        if numbers is not None:
            return in_c_order(_parts(x, numbers, axis))
        done = _gathered(x, index, axis)
        if done is not None:
            return done
    return in_c_order(x[along_key(index, axis)])


def _gathered(x, index, axis):
    """gather by machine code; None where it is not for these arrays."""
    if x.dtype.char not in "fd" or not x.flags.c_contiguous:
        return None
    few = in_three(index.shape, axis)
    numbers = np.ascontiguousarray(index).reshape(few)
    turns = 1 if index.size < _SHARED else min(few[0] * few[1], 64)
    done = fast.gathered(x.reshape(in_three(x.shape, axis)), numbers, turns)
    return None if done is None else done.reshape(index.shape)


@op(
    vjp={"g": lambda g, index, axis: gather(g, index, axis=axis)},
    linear_in=("g",),
    nondiff=("index",),
    batch=Front(axes=("axis",), shapes=("shape",)),
    lower=ir.compose(lambda g, index, *, axis, shape: placed_once(g, index, axis, shape)),
)
def scatter_sum(g, index, *, axis, shape):
    """Zeros of `shape` with g added at the places `index` names: the transpose of gather."""
    numbers = same_numbers(index, axis) if equal_but_along(index.shape, shape, axis) else None
    if numbers is not None:
        return sum_rows(g, numbers, axis, shape)
    done = scattered(None, index, g, axis, shape, _SUM)
    if done is not None:
        return done
    out = np.zeros(shape, g.dtype)
    add_along(out, index, g, axis)
    return out


@op(
    vjp={"x": lambda g, index, axis: scatter_zero(g, index, axis=axis)},
    linear_in=("x",),
    nondiff=("index",),
    batch=Front(axes=("axis",)),
)
def scatter_zero(x, index, *, axis):
    """x with zeros at the places `index` names."""
    out = x.copy()
    out[along_key(index, axis)] = 0
    return out


@op(
    vjp={
        "x": lambda g, index, axis: scatter_zero(g, index, axis=axis),
        "src": lambda g, index, axis: gather(g, index, axis=axis),
    },
    jvp=lambda t_x, t_src, index, axis: scatter(t_x, index, t_src, axis=axis),
    nondiff=("index",),
    batch=Front(axes=("axis",)),
)
def scatter(x, index, src, *, axis):
    """x with src (of index's shape) written at the places `index` names."""
    done = scattered(x, index, src, axis, x.shape, _LATER)
    if done is not None:
        return done
    out = x.copy()
    out[along_key(index, axis)] = src
    return out


@op(
    vjp={"x": lambda g: g, "src": lambda g, index, axis: gather(g, index, axis=axis)},
    jvp=lambda t_x, t_src, index, axis: scatter_add(t_x, index, t_src, axis=axis),
    nondiff=("index",),
    batch=Front(axes=("axis",)),
)
def scatter_add(x, index, src, *, axis):
    """x with src (of index's shape) added at the places `index` names."""
    if x.dtype.char in "fd" and equal_but_along(index.shape, x.shape, axis):
        numbers = same_numbers(index, axis)
        if numbers is not None:
            out = np.array(x, order="C")
            add_rows(out, numbers, src, axis)
            return out
    done = scattered(x, index, src, axis, x.shape, _SUM)
    if done is not None:
        return done
    out = np.array(x, order="C")
    add_along(out, index, src, axis)
    return out


# ---- scatter with other folds --------------------------------------------------------------------


@op(
    vjp={
        "x": lambda g, x, index, src, axis: g * met(x, index, conj_if(src), axis),
        "src": lambda g, x, index, src, axis: (
            gather(g, index, axis=axis) * met_besides(conj_if(x), index, conj_if(src), axis)
        ),
    },
    jvp={
        "x": lambda t, x, index, src, axis: t * met(x, index, src, axis),
        "src": lambda t, x, index, src, axis, x_shape: scatter_sum(
            t * met_besides(x, index, src, axis), index, axis=axis, shape=x_shape
        ),
    },
    nondiff=("index",),
    batch=Front(axes=("axis",)),
    node="ScatterReduceBackward0",
)
def scatter_product(x, index, src, *, axis):
    """x multiplied by each src element at the place `index` names."""
    done = scattered(x, index, src, axis, x.shape, _PRODUCT)
    if done is not None:
        return done
    out = wide(x).copy()
    np.multiply.at(out, along_key(index, axis), wide(src))
    return out.astype(x.dtype, copy=False)


@helper
def met(x, index, src, axis):
    """The product of the src elements that meet at each place of x."""
    return scatter_product(zeroed(x) + 1, index, src, axis=axis)


@helper
def met_besides(x, index, src, axis):
    """For each src element the product of everything else that meets at its place.

    By products alone, which have derivatives of every order where elements are zero: sorted by
    place, what meets is a run, and an element is met by those before and those after it.
    """
    order = argsort(index, axis=axis, descending=False)
    place, values = gather(index, order, axis=axis), gather(src, order, axis=axis)
    there = argsort(order, axis=axis, descending=False)
    others = earlier(place, values, axis, 1) * earlier(place, values, axis, -1)
    return gather(x, index, axis=axis) * gather(others, there, axis=axis)


@helper
def earlier(place, values, axis, way):
    """The product of the elements before (way=-1: after) each one in its run of equal places."""
    step, n = 1, place.shape[axis]
    total = carried(place, values, axis, way, step)
    while step < n:
        total = total * carried(place, total, axis, way, step)
        step = step * 2
    return total


@helper
def carried(place, values, axis, way, step):
    """The value `step` elements before (after) each one if that is at the same place, else 1."""
    move = min(step, place.shape[axis]) * way
    pads = ((move, -move), *((0, 0),) * (len(place.shape) - axis - 1))
    same = constant_pad(place, pads=pads, value=-1) == place
    return where(same, constant_pad(values, pads=pads, value=1), 1.0)


# The declaration of scatter_max and scatter_min: equal values share the derivative.
EXTREME = {
    "vjp": {
        "x": lambda g, x, index, src, out, axis, alone: where(
            x == out, g / shares(g, x, index, src, out, axis, alone), 0.0
        ),
        "src": lambda g, x, index, src, out, axis, alone: where(
            src == gather(out, index, axis=axis),
            gather(g / shares(g, x, index, src, out, axis, alone), index, axis=axis),
            0.0,
        ),
    },
    "jvp": {
        "x": lambda t, x, index, src, out, axis, alone: where(
            x == out, t / shares(t, x, index, src, out, axis, alone), 0.0
        ),
        "src": lambda t, x, index, src, out, axis, alone: scatter_sum(
            where(src == gather(out, index, axis=axis), t, 0.0),
            index, axis=axis, shape=tuple(x.shape),
        ) / shares(t, x, index, src, out, axis, alone),
    },
    "nondiff": ("index",),
    "batch": Front(axes=("axis",)),
    "node": "ScatterReduceBackward0",
}  # fmt: skip


@helper
def shares(g, x, index, src, out, axis, alone):
    """How many values at each place equal the result (1 where none does); those of x not where
    src stands alone: what x has there is a neutral value."""
    dtype = g_dtype(g)
    hits = cast(src == gather(out, index, axis=axis), dtype=dtype)
    count = cast(x == out, dtype=dtype)
    if alone:
        count = scatter(count, index, hits * 0.0, axis=axis)
    return scatter_add(count, index, hits, axis=axis)


@op(**EXTREME)
def scatter_max(x, index, src, *, axis, alone):
    """The larger of x and the src elements that `index` sends to its place."""
    done = scattered(x, index, src, axis, x.shape, _LARGER)
    if done is not None:
        return done
    out = x.copy()
    np.maximum.at(out, along_key(index, axis), src)
    return out


@op(**EXTREME)
def scatter_min(x, index, src, *, axis, alone):
    """The smaller of x and the src elements that `index` sends to its place."""
    done = scattered(x, index, src, axis, x.shape, _SMALLER)
    if done is not None:
        return done
    out = x.copy()
    np.minimum.at(out, along_key(index, axis), src)
    return out


# ---- rows by an index ----------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, index, axis, x_shape: index_axis_sum(
        g, index, axis=axis, shape=x_shape)},
    linear_in=("x",),
    nondiff=("index",),
    batch=lambda values, batched, size, params: batched_take(
        values, batched, size, params["axis"]),
    node="IndexBackward0", aten=("index",),
    lower=ir.compose(lambda x, index, *, axis: picked(x, (index,), (axis,))),
)  # fmt: skip
def index_axis(x, index, *, axis):
    """The parts of x that `index` names along `axis`, whose place its shape takes."""
    return _parts(x, index, axis)


@op(
    vjp={"x": lambda g, index, axis, x_shape: index_axis_sum(
        g, index, axis=axis, shape=x_shape)},
    linear_in=("x",),
    nondiff=("index",),
    batch=lambda values, batched, size, params: batched_take(
        values, batched, size, params["axis"]),
    lower=ir.compose(lambda x, index, *, axis: picked(x, (index,), (axis,))),
)  # fmt: skip
def index_select(x, index, *, axis):
    """The parts of x that the 1-D `index` names along `axis`."""
    return _parts(x, index, axis)


def _parts(x, index, axis):
    if not x.size and not x.shape[axis] and index.size:  # NumPy looks at elements only
        raise IndexError(f"index {index.flat[0]} is out of bounds for axis {axis} with size 0")
    return x.take(index, axis) if axis else _first_rows(x, index)


def _first_rows(x, index):
    rows = rows_by_number(x, index)
    return in_c_order(x[index]) if rows is None else rows


@helper
def batched_take(values, batched, size, axis):
    """index_axis where x, the index or both have a batch dimension in front."""
    x, index = values
    if not batched[1]:
        return index_axis(x, index, axis=axis + 1)
    if not batched[0]:
        picked = index_axis(x, index, axis=axis)
        n = len(picked.shape)
        return transpose(picked, perm=(axis, *(d for d in range(n) if d != axis)))
    # One gather over the flattened (batch, axis) pairs.
    x = transpose(x, perm=(0, axis + 1, *(d for d in range(1, len(x.shape)) if d != axis + 1)))
    rows, length, *rest = x.shape
    flat = reshape(x, shape=(rows * length, *rest))
    picked = index_axis(flat, example_rows(index, length=length), axis=0)
    own = len(index.shape) - 1
    lead, tail = range(own + 1, own + 1 + axis), range(own + 1 + axis, len(picked.shape))
    return transpose(picked, perm=(0, *lead, *range(1, own + 1), *tail))


@op(nondiff=("index",), batch="loop")
def example_rows(index, *, length):
    """The rows of a flattened batch, `length` for each example, that each example's index names."""
    if index.size and (index.max() >= length or index.min() < -length):
        bad = int(index.max() if index.max() >= length else index.min())
        raise IndexError(f"index {bad} is out of bounds for dimension 0 with size {length}")
    rows = np.where(index < 0, index + length, index)
    line = np.arange(0, len(index) * length, length, dtype=np.int64)
    return rows + line.reshape([-1] + [1] * (index.ndim - 1))


@op(nondiff=("index",), batch="loop")
def batch_offsets(index, *, length):
    """For each example of an index the number of its first row in the flattened batch."""
    line = np.arange(0, len(index) * length, length, dtype=np.int64)
    return np.broadcast_to(line.reshape([-1] + [1] * (index.ndim - 1)), index.shape)


@op(
    vjp={"g": lambda g, index, axis: index_axis(g, index, axis=axis)},
    linear_in=("g",),
    nondiff=("index",),
    batch=lambda values, batched, size, params: batched_row_sum(
        values, batched, size, params["axis"], params["shape"]
    ),
    lower=ir.compose(lambda g, index, *, axis, shape: placed(g, (index,), (axis,), shape)),
)
def index_axis_sum(g, index, *, axis, shape):
    """Zeros of `shape` with the parts of g added where `index` points: transpose of index_axis."""
    return sum_rows(g, index, axis, shape)


@helper
def batched_row_sum(values, batched, size, axis, shape):
    """index_axis_sum where g, the index or both have a batch dimension in front."""
    g, index = values
    if not batched[0]:
        g = broadcast_to(g, shape=(size, *g.shape))
    if not batched[1]:
        return index_axis_sum(g, index, axis=axis + 1, shape=(size, *shape))
    # One sum into the flattened (batch, axis) pairs.
    n = shape[axis]
    rest = (*shape[:axis], *shape[axis + 1 :])
    g = moved_block(g, axis + 1, len(index.shape) - 1, 1)
    index = example_rows(index, length=n)
    flat = index_axis_sum(g, index, axis=0, shape=(size * n, *rest))
    return moved_block(reshape(flat, shape=(size, n, *rest)), 1, 1, axis + 1)


def sum_rows(g, index, axis, shape):
    """Zeros of `shape` with the parts of g added where `index` (of any shape) points."""
    if axis == 0 and g.size and g.dtype.char in "fd":  # the usual case, in few steps
        done = sum_in_blocks(g.reshape(1, index.size, -1), index.reshape(-1), shape[0])
        if done is not None:
            return done.reshape(shape)
    half = g.dtype.kind == "V" or g.dtype.itemsize == 2
    if g.size:
        parts = g.reshape(*g.shape[:axis], index.size, *g.shape[axis + index.ndim :])
        done = sum_by_number(parts, index.reshape(-1), shape[axis], axis)
        if done is not None:
            return done
    out = np.zeros(shape, np.float32 if half else g.dtype)
    add_rows(out, index, g.astype(np.float32) if half else g, axis)
    return out.astype(g.dtype, copy=False)


def add_rows(out: np.ndarray, index: np.ndarray, g: np.ndarray, axis: int) -> None:
    """Add the parts of g in place, by the fastest way for its size."""
    if axis == 0 and g.size <= 512:
        np.add.at(out, index, g)
        return
    if g.size and out.flags.c_contiguous and g.dtype == out.dtype:
        parts = g.reshape(*g.shape[:axis], index.size, *g.shape[axis + index.ndim :])
        done = sum_by_number(parts, index.reshape(-1), out.shape[axis], axis)
        if done is not None:
            out += done
            return
    if axis:
        n = index.ndim
        out = out.transpose(axis, *range(axis), *range(axis + 1, out.ndim))
        # The axes that stand before those of the index come right behind them.
        behind = range(axis + n, g.ndim)
        g = g.transpose(*range(axis, axis + n), *range(axis), *behind)
    index = index.reshape(-1)
    g = g.reshape(index.size, *out.shape[1:])
    if not g.size:
        return
    if index.min() < 0:
        index = np.where(index < 0, index + len(out), index)
    width = g.size // index.size
    if g.size <= 512 or not out.flags.c_contiguous:
        np.add.at(out, index, g)
    elif width >= 192:
        for i, row in zip(index.tolist(), g, strict=True):
            np.add(out[i], row, out=out[i])
    elif g.size >= _SPARSE_FROM and g.dtype.kind in "fc" and width > 1:
        out += _sparse_sum(g.reshape(index.size, width), index, len(out)).reshape(out.shape)
    else:
        places = index if width == 1 else (index[:, None] * width + np.arange(width)).reshape(-1)
        np.add.at(out.reshape(-1), places, g.reshape(-1))


def _rows_added(x, index, src, *, axis):
    """index_add as a sum of what is there and what is added; None where loops cannot place rows."""
    added = placed(src, (index,), (axis,), tuple(x.shape))
    return None if added is None else x + added


def _sparse_sum(values, index, rows):
    """The product of a 0/1 matrix (one column per picked row) with the rows."""
    interrupts.load("scipy.sparse")
    from scipy.sparse import csc_array

    n = len(index)
    ones = np.ones(n, values.dtype)
    return csc_array((ones, index, np.arange(n + 1)), shape=(rows, n)) @ values


@op(
    vjp={
        "x": lambda g: g,
        "src": lambda g, index, axis: index_axis(g, index, axis=axis),
    },
    jvp=lambda t_x, t_src, index, axis: index_add(t_x, index, t_src, axis=axis),
    nondiff=("index",),
    batch=Plain(
        lambda x, index, src, *, axis: (
            x + index_axis_sum(src, index, axis=axis, shape=tuple(x.shape))
        )
    ),
    halves="single",
    lower=ir.compose(_rows_added),
)
def index_add(x, index, src, *, axis):
    """x with the parts of src added where the 1-D `index` points along `axis`."""
    out = np.array(x, order="C")
    add_rows(out, index, src, axis)
    return out


@op(
    vjp={
        "x": lambda g, index, axis: index_zero(g, index, axis=axis),
        "src": lambda g, index, axis: index_axis(g, index, axis=axis),
    },
    jvp=lambda t_x, t_src, index, axis: index_copy(t_x, index, t_src, axis=axis),
    nondiff=("index",),
    batch=Plain(
        lambda x, index, src, *, axis: scatter(
            x, in_step(index, tuple(x.shape), axis), src, axis=axis
        )
    ),
)
def index_copy(x, index, src, *, axis):
    """x with the parts of src written where the 1-D `index` points along `axis`."""
    out = x.copy()
    out[(slice(None),) * axis + (index,)] = src
    return out


@op(
    vjp={"x": lambda g, index, axis: index_zero(g, index, axis=axis)},
    linear_in=("x",),
    nondiff=("index",),
    batch=Plain(
        lambda x, index, *, axis: scatter_zero(x, in_step(index, tuple(x.shape), axis), axis=axis)
    ),
)
def index_zero(x, index, *, axis):
    """x with zeros where the 1-D `index` points along `axis`."""
    out = x.copy()
    out[(slice(None),) * axis + (index,)] = 0
    return out


@helper
def in_step(index, shape, axis):
    """A 1-D index along `axis`, the same for every place of the other axes."""
    n = index.shape[0]
    line = reshape(index, shape=tuple(n if d == axis else 1 for d in range(len(shape))))
    return broadcast_to(line, shape=(*shape[:axis], n, *shape[axis + 1 :]))
