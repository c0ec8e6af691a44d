"""Views: the same memory with another shape, order or window; and plain reshaping.

Strict forms (full shapes, non-negative axes); `tensor/functions/shapes.py` normalises what users
write. Each view of PyTorch's has a row of its own, so that its node has PyTorch's name; compiled
programs read the layout of a result from the forward itself, so a row costs nothing there.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front
from .layout import viewed_strides, window
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def in_c_order(x):
    """A new array in C order, as PyTorch lays it out: NumPy's follows the layout of the inputs."""
    return x if x.flags.c_contiguous else x.copy()


@helper
def at_axis(axis, item):
    """The index tuple that applies `item` to one dimension and takes the others whole."""
    return (slice(None),) * axis + (item,)


# ---- another shape -------------------------------------------------------------------------------


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
    inline="x_x.reshape(shape) if x_x.flags.c_contiguous else forward(x_x, shape=shape)",
)
def view(x, *, shape):
    """x with another shape, never a copy."""
    if x.flags.c_contiguous:
        return x.reshape(shape)
    strides = viewed_strides(x.shape, x.strides, shape)
    if strides is None:
        raise ValueError("not viewable")
    return window(x, shape, strides)


@op(
    vjp={"x": lambda g, x_shape: reshape(g, shape=x_shape)},
    linear_in=("x",),
    batch=Front(shapes=("shape",)),
    node="UnsafeViewBackward0",
    lower=ir.move("reshape"),
    aten=("_unsafe_view",),
)
def unsafe_view(x, *, shape):
    """The values of x in another shape, as a tensor of its own; x itself is not used again."""
    return x.reshape(shape)


@op(
    vjp={"x": lambda g, axis: squeeze_axes(g, axis=(axis,))},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    view=True,
    lower=ir.move("expand_dims"),
)
def unsqueeze(x, *, axis):
    """x with a dimension of length 1 inserted at `axis`."""
    if x.flags.c_contiguous:
        return x.reshape(*x.shape[:axis], 1, *x.shape[axis:])
    return x[at_axis(axis, None)]


def without_axes(x, axis):
    """x without the dimensions `axis`, all of length 1."""
    if not axis:
        return x[...]
    if x.flags.c_contiguous:
        return x.reshape([n for i, n in enumerate(x.shape) if i not in axis])
    return x[(*(0 if i in axis else slice(None) for i in range(x.ndim)), ...)]


# PyTorch numbers the node by the form of the call: squeeze(), squeeze(dim), squeeze(dims).
@op(
    vjp={"x": lambda g, x_shape: reshape(g, shape=x_shape)},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    view=True,
    node="SqueezeBackward0",
    lower=ir.move("squeeze"),
    aten=("squeeze",),
)
def squeeze_all(x, *, axis):
    """x without its dimensions `axis`, which are all those of length 1."""
    return without_axes(x, axis)


@op(
    vjp={"x": lambda g, x_shape: reshape(g, shape=x_shape)},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    view=True,
    node="SqueezeBackward1",
    lower=ir.move("squeeze"),
    aten=("squeeze",),
)
def squeeze_axis(x, *, axis):
    """x without one dimension of length 1 (a tuple of one, or of none when it is longer)."""
    return without_axes(x, axis)


@op(
    vjp={"x": lambda g, x_shape: reshape(g, shape=x_shape)},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    view=True,
    node="SqueezeBackward2",
    lower=ir.move("squeeze"),
    aten=("squeeze",),
)
def squeeze_axes(x, *, axis):
    """x without some dimensions of length 1."""
    return without_axes(x, axis)


# ---- another order -------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, perm: transpose(g, perm=inverse_permutation(perm))},
    arrays={"x": lambda g, perm: g.T if perm == (1, 0) else g.transpose(inverse_permutation(perm))},
    linear_in=("x",),
    batch=lambda x, params: {"perm": (0, *(p + 1 for p in params["perm"]))},
    view=True,
    node="PermuteBackward0",
    lower=ir.move("permute"),
    aten=("permute",),
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
    vjp={"x": lambda g, axis0, axis1: swap_axes(g, axis0=axis0, axis1=axis1)},
    linear_in=("x",),
    batch=Front(axes=("axis0", "axis1")),
    view=True,
    node="TransposeBackward0",
    lower=ir.move("permute"),
    aten=("transpose",),
)
def swap_axes(x, *, axis0, axis1):
    """x with two dimensions exchanged."""
    return x.swapaxes(axis0, axis1)


@op(
    vjp={"x": lambda g: t(g)},
    linear_in=("x",),
    batch=lambda values, batched, size, params: (
        swap_axes(values[0], axis0=1, axis1=2) if len(values[0].shape) == 3 else alias(values[0])
    ),
    view=True,
    lower=ir.move("permute"),
)
def t(x):
    """The transpose of a matrix (x itself below two dimensions)."""
    return x.T


# ---- repeated ------------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, x_shape: unbroadcast(g, x_shape)},
    linear_in=("x",),
    batch="expand",
    view=True,
    node="ExpandBackward0",
    lower=ir.move("broadcast"),
    aten=("expand",),
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
    return window(x, shape, strides)


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


# ---- a part of a dimension -----------------------------------------------------------------------


@op(
    vjp={
        "x": lambda g, x_shape, axis, index: slice_fill(
            g, index=at_axis(axis, index), shape=x_shape
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    view=True,
    lower=ir.move("slice"),
)
def select(x, *, axis, index):
    """The slice of x at one (non-negative) position of a dimension."""
    return x[(*at_axis(axis, index), ...)]


@op(
    vjp={
        "x": lambda g, x_shape, axis, start, stop, step: slice_fill(
            g, index=at_axis(axis, slice(start, stop, step)), shape=x_shape
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    view=True,
    node="SliceBackward0",
    lower=ir.move("slice"),
    aten=("slice",),
)
def slice_axis(x, *, axis, start, stop, step):
    """A range of one dimension of x."""
    return x[(*at_axis(axis, slice(start, stop, step)), ...)]


@op(
    vjp={"x": lambda g, axis: stack(*g, axis=axis)},
    linear_in=("x",),
    n_out=None,
    batch=Front(axes=("axis",)),
    view=True,
)
def unbind(x, *, axis):
    """The slices of x along a dimension, as views."""
    return tuple(x[at_axis(axis, i)] if x.ndim > 1 else x[i, ...] for i in range(x.shape[axis]))


@helper
def slices(x, sizes, axis):
    """The windows of `parts` by ops."""
    found, start = [], 0
    for n in sizes:
        found.append(slice_axis(x, axis=axis, start=start, stop=start + n, step=1))
        start += n
    return tuple(found)


def parts(x, sizes, axis):
    """Consecutive windows of the given lengths along a dimension."""
    found, start = [], 0
    lead = (slice(None),) * axis
    for n in sizes:
        found.append(x[(*lead, slice(start, start + n))])
        start += n
    return tuple(found)


@op(
    vjp={"x": lambda g, axis: cat(*g, axis=axis)},
    linear_in=("x",),
    n_out=None,
    batch=Front(axes=("axis",)),
    view=True,
    lower=ir.compose(lambda x, *, sizes, axis: slices(x, sizes, axis)),
)
def split(x, *, sizes, axis):
    """Consecutive parts of x of equal lengths (the last may be shorter), as views."""
    return parts(x, sizes, axis)


@op(
    vjp={"x": lambda g, axis: cat(*g, axis=axis)},
    linear_in=("x",),
    n_out=None,
    batch=Front(axes=("axis",)),
    view=True,
    lower=ir.compose(lambda x, *, sizes, axis: slices(x, sizes, axis)),
)
def split_with_sizes(x, *, sizes, axis):
    """Consecutive parts of x of the given lengths, as views."""
    return parts(x, sizes, axis)


@op(
    vjp={"x": lambda g, axis: cat(*g, axis=axis)},
    linear_in=("x",),
    n_out=None,
    batch=Front(axes=("axis",)),
    node="UnsafeSplitBackward0",
)
def unsafe_split(x, *, sizes, axis):
    """Consecutive parts of x that share its memory without counting as views of it."""
    return parts(x, sizes, axis)


# ---- windows -------------------------------------------------------------------------------------


@op(
    vjp={
        "x": lambda g, x_shape, offset, axis1, axis2: diagonal_fill(
            g, shape=x_shape, offset=offset, axis1=axis1, axis2=axis2
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axis1", "axis2")),
    view=True,
    lower=ir.move("slice"),
)
def diagonal(x, *, offset, axis1, axis2):
    """The diagonal of two dimensions, as the last dimension of a view."""
    rows, columns = x.shape[axis1], x.shape[axis2]
    length = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    kept = [i for i in range(x.ndim) if i not in (axis1, axis2)]
    start = x
    if length > 0 and offset:
        moved = at_axis(axis2, slice(offset, None)) if offset > 0 else at_axis(
            axis1, slice(-offset, None))  # fmt: skip
        start = x[moved]
    shape = (*(x.shape[i] for i in kept), max(length, 0))
    strides = (*(x.strides[i] for i in kept), x.strides[axis1] + x.strides[axis2])
    return window(start, shape, strides)


@op(
    vjp={"g": lambda g, offset, axis1, axis2: diagonal(g, offset=offset, axis1=axis1, axis2=axis2)},
    linear_in=("g",),
    batch=Front(axes=("axis1", "axis2"), shapes=("shape",)),
)
def diagonal_fill(g, *, shape, offset, axis1, axis2):
    """Zeros of `shape` with g on a diagonal: the transpose of diagonal."""
    out = np.zeros(shape, g.dtype)
    diagonal(out, offset=offset, axis1=axis1, axis2=axis2)[...] = g
    return out


@op(
    vjp={
        "x": lambda g, x_shape, axis, size, step: unfold_sum(
            g, shape=x_shape, axis=axis, size=size, step=step
        )
    },
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    view=True,
)
def unfold(x, *, axis, size, step):
    """All windows of `size` elements along a dimension, `step` apart, as a last dimension."""
    count = (x.shape[axis] - size) // step + 1
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :], size)
    strides = x.strides
    moved = (*strides[:axis], strides[axis] * step, *strides[axis + 1 :], strides[axis])
    return window(x, shape, moved)


@op(
    vjp={"g": lambda g, axis, size, step: unfold(g, axis=axis, size=size, step=step)},
    linear_in=("g",),
    batch=Front(axes=("axis",), shapes=("shape",)),
)
def unfold_sum(g, *, shape, axis, size, step):
    """Overlapping windows added up where they came from: the transpose of unfold."""
    out = np.zeros(shape, g.dtype)
    count = g.shape[axis]
    for k in range(size):
        out[at_axis(axis, slice(k, k + (count - 1) * step + 1, step))] += g[..., k]
    return out
