"""Joining, repeating, turning and masking: results with memory of their own."""

from __future__ import annotations

import math

import numpy as np

from .. import ir
from .batching import Front
from .errors import Refusal
from .layout import (
    as_channels_last,
    dense_copy,
    dense_empty_like,
    has_channels_last,
    in_order,
)  # fmt: skip
from .result_types import as_first, joined, stacked
from .schema import helper, op
from .shape import at_axis, diagonal, in_c_order, inverse_permutation

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


# ---- copies --------------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g: g},
    linear_in=("x",),
    batch="elementwise",
    node="CloneBackward0",
    lower=ir.identity,
    aten=("contiguous", "clone"),
    types=as_first,
)
def clone_contiguous(x):
    """A copy of x in C order."""
    return np.array(x, order="C")


@op(
    vjp={"x": lambda g: g},
    linear_in=("x",),
    batch=lambda x, params: {"order": (0, *(d + 1 for d in params["order"]))},
    node="CloneBackward0",
    aten=("clone",),
)
def clone_ordered(x, *, order):
    """A copy of x whose dimensions lie in memory in `order`, slowest first."""
    return np.ascontiguousarray(x.transpose(order)).transpose(inverse_permutation(order))


# ---- joining -------------------------------------------------------------------------------------


@helper
def with_axis(x, axis):
    """x with a new dimension of length 1."""
    return reshape(x, shape=(*x.shape[:axis], 1, *x.shape[axis:]))


@helper
def split_like(g, mask, shapes, axis):
    """The parts of g that inputs of these shapes gave it; None where nobody asks."""
    found, start = [], 0
    for wanted, shape in zip(mask, shapes, strict=True):
        stop = start + shape[axis]
        part = slice_axis(g, axis=axis, start=start, stop=stop, step=1) if wanted else None
        found.append(part)
        start = stop
    return tuple(found)


@op(
    joint=lambda g, mask, xs_shape, axis: split_like(g, mask, xs_shape, axis),
    linear_in="all",
    promote="same",
    halves="own",  # nothing is computed
    batch=Front(axes=("axis",)),
    lower=ir.join,
    types=joined,
)
def cat(*xs, axis):
    """The inputs one after the other along a dimension."""
    joined = np.concatenate(xs, axis)
    if joined.flags.c_contiguous:
        return joined
    return as_channels_last(joined) if all(map(has_channels_last, xs)) else in_c_order(joined)


@op(
    joint=lambda g, mask, axis: tuple(
        select(g, axis=axis, index=i) if wanted else None for i, wanted in enumerate(mask)
    ),
    linear_in="all",
    promote="same",
    halves="own",
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda *xs, axis: cat(*[with_axis(x, axis) for x in xs], axis=axis)),
    types=stacked,
)
def stack(*xs, axis):
    """The inputs along a new dimension."""
    return in_c_order(np.concatenate([x[at_axis(axis, None)] for x in xs], axis))


@helper
def diagonal_blocks(g, mask, shapes):
    """The blocks of g on its diagonal, of the given shapes."""
    found, row, column = [], 0, 0
    for wanted, (rows, columns) in zip(mask, shapes, strict=True):
        index = (slice(row, row + rows), slice(column, column + columns))
        found.append(slice_view(g, index=index) if wanted else None)
        row, column = row + rows, column + columns
    return tuple(found)


@op(
    joint=lambda g, mask, xs_shape: diagonal_blocks(g, mask, xs_shape),
    linear_in="all",
    promote="same",
    batch="loop",
)
def block_diag(*xs):
    """A matrix with the given matrices along its diagonal."""
    rows, columns = sum(x.shape[0] for x in xs), sum(x.shape[1] for x in xs)
    out = np.zeros((rows, columns), xs[0].dtype)
    row = column = 0
    for x in xs:
        out[row : row + x.shape[0], column : column + x.shape[1]] = x
        row, column = row + x.shape[0], column + x.shape[1]
    return out


# ---- repeating -----------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, x_shape, repeats: add_repeats(g, x_shape, repeats)},
    linear_in=("x",),
    batch=lambda x, params: {"repeats": (1, *params["repeats"])},
)
def repeat(x, *, repeats):
    """x laid out several times along each dimension; as many repeats as dimensions."""
    sizes = [n * k for n, k in zip(x.shape, repeats, strict=True)]
    if math.prod(n for n in sizes if n) >= 1 << 60:  # NumPy's product wraps, and it writes there
        raise Refusal(f"Storage size calculation overflowed with sizes={sizes}")
    return in_order(np.tile(x, repeats))


@helper
def add_repeats(g, shape, repeats):
    """The sum over the copies that `repeat` made."""
    if 0 in repeats:
        nothing = reduce_sum(g, axis=tuple(range(len(shape))), keepdims=False)
        return broadcast_to(nothing, shape=shape)
    pairs, copies = [], []
    for n, times in zip(shape, repeats, strict=True):
        if times != 1:
            copies.append(len(pairs))
            pairs.append(times)
        pairs.append(n)
    if not copies:
        return g
    return reduce_sum(reshape(g, shape=tuple(pairs)), axis=tuple(copies), keepdims=False)


# ---- turning -------------------------------------------------------------------------------------


@op(vjp={"x": lambda g, axis: flip(g, axis=axis)}, linear_in=("x",), batch=Front(axes=("axis",)))
def flip(x, *, axis):
    """x with the order along some dimensions reversed."""
    out = dense_empty_like(x)
    out[...] = np.flip(x, axis)
    return out


@op(
    vjp={
        "x": lambda g, shifts, axis: roll(g, shifts=tuple(-s for s in shifts), axis=axis),
    },
    linear_in=("x",),
    batch=lambda values, batched, size, params: roll_each(values[0], size, **params),
)
def roll(x, *, shifts, axis):
    """x moved along some dimensions (flattened without any); what leaves at the end re-enters."""
    return in_order(np.roll(x, shifts, axis) if axis else np.roll(x, shifts[0]))


@helper
def roll_each(x, size, shifts, axis):
    """Every example of a batch rolled."""
    if axis:
        return roll(x, shifts=shifts, axis=tuple(a + 1 for a in axis))
    flat = reshape(x, shape=(size, count_of(x.shape, range(1, len(x.shape)))))
    return reshape(roll(flat, shifts=shifts, axis=(1,)), shape=tuple(x.shape))


@op(
    vjp={"x": lambda g, turns, axis: rot90(g, turns=-turns % 4, axis=axis)},
    linear_in=("x",),
    batch=Front(axes=("axis",)),
    node="Rot90Backward0",
)
def rot90(x, *, turns, axis):
    """x turned by quarter turns from the first to the second of two dimensions."""
    return dense_copy(np.rot90(x, turns, axis))


# ---- triangles and diagonals ---------------------------------------------------------------------


@op(vjp={"x": lambda g, k: tril(g, k=k)}, linear_in=("x",), batch=lambda x, params: params,
    types=as_first)  # fmt: skip
def tril(x, *, k):
    """x on and below the k-th diagonal of its last two dimensions, zero above it."""
    return _triangle(x, np.tri(x.shape[-2], x.shape[-1], k, bool))


@op(vjp={"x": lambda g, k: triu(g, k=k)}, linear_in=("x",), batch=lambda x, params: params,
    types=as_first)  # fmt: skip
def triu(x, *, k):
    """x on and above the k-th diagonal of its last two dimensions, zero below it."""
    return _triangle(x, ~np.tri(x.shape[-2], x.shape[-1], k - 1, bool))


def _triangle(x, mask):
    out = np.zeros(x.shape, x.dtype)
    np.copyto(out, x, where=mask)
    return out


@op(
    vjp={"x": lambda g, offset, axis1, axis2: diagonal(g, offset=offset, axis1=axis1, axis2=axis2)},
    linear_in=("x",),
    batch=Front(axes=("axis1", "axis2")),
)
def diag_embed(x, *, offset, axis1, axis2):
    """Zeros with the last dimension of x on a diagonal of two new dimensions."""
    side = x.shape[-1] + abs(offset)
    shape = list(x.shape[:-1])
    for axis in sorted((axis1, axis2)):
        shape.insert(axis, side)
    out = np.zeros(shape, x.dtype)
    diagonal(out, offset=offset, axis1=axis1, axis2=axis2)[...] = x
    return out


# ---- complex numbers from parts ------------------------------------------------------------------

_COMPLEX = ir.Extern("loops compute with real numbers")


@op(
    vjp={"re": lambda g: real(g), "im": lambda g: imaginary(g)},
    linear_in="all",
    broadcasts=True,
    node="ComplexBackward0",
    lower=_COMPLEX,
)
def make_complex(re, im):
    """re + i im."""
    out = np.empty(np.broadcast_shapes(re.shape, im.shape), np.result_type(re, np.complex64))
    out.real, out.imag = re, im
    return out


@helper
def imaginary(g):
    """The imaginary part of a complex value, the derivative with respect to it."""
    return select(view_as_real(g), axis=len(g.shape), index=1)


@op(
    vjp={
        "radius": lambda g, angle: real(conj(g) * make_complex(cos(angle), sin(angle))),
        "angle": lambda g, out: -imaginary(conj(g) * out),
    },
    jvp={
        "radius": lambda t, angle: make_complex(t * cos(angle), t * sin(angle)),
        "angle": lambda t, radius, angle: make_complex(
            -(t * radius * sin(angle)), t * radius * cos(angle)
        ),
    },
    broadcasts=True,
    lower=_COMPLEX,
)
def polar(radius, angle):
    """radius * exp(i angle)."""
    return make_complex(radius * np.cos(angle), radius * np.sin(angle))


# ---- constant results ----------------------------------------------------------------------------


@op(
    vjp={"x": lambda g: zeroed(g)},
    linear_in=("x",),
    batch="elementwise",
    node="ZeroBackward0",
    aten=("zeros_like",),
    types=as_first,
)
def blank(x):
    """Zeros of x's shape and type, whose derivative is zero."""
    return np.zeros(x.shape, x.dtype)


@op(
    vjp={
        "x": lambda g: zeroed(g),
        "value": lambda g: reduce_sum(g, axis=tuple(range(len(g.shape))), keepdims=False),
    },
    jvp=lambda t_x, t_value, out_shape: broadcast_to(t_value, shape=out_shape),
    batch="loop",
    node="FillBackward3",
    types=as_first,
)
def fill(x, value):
    """x's shape filled with a 0-dim value."""
    return np.full(x.shape, value, x.dtype)


@op(
    vjp={"x": lambda g: zeroed(g)},
    jvp={"x": lambda t: blank(t)},
    batch="elementwise",
    node="FillBackward2",
    aten=("fill_",),
)
def fill_number(x, *, value):
    """x's shape filled with a number."""
    return np.full(x.shape, value, x.dtype)
