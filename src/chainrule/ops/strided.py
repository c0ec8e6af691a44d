"""Views by raw strides (`as_strided`) and views of the same bytes as another type."""

from __future__ import annotations

import numpy as np

from .dtypes import complex32
from .halves import COMPLEX_HALF, half_parts
from .layout import reach
from .schema import helper, op
from .shape import reshape, unsqueeze

#
# A layout is (shape, element strides, element offset in the storage). `as_strided` may look at any
# element of the storage; only elements that the input also shows have a gradient.


def _strided_batch(values, batched, size, params):
    """The same with the step from example to example in front of both layouts."""
    _check_span(params["inner"], params["outer"])
    step = values[0].stride()[0]
    inner, outer = (
        ((size, *shape), (step, *strides), offset)
        for shape, strides, offset in (params["inner"], params["outer"])
    )
    return as_strided(values[0], inner=inner, outer=outer)


@helper
def _check_span(inner, outer):
    """Refuse to look at what lies before or behind an example: other examples may lie there."""
    (first, last), (low, high) = _span(outer), _span(inner)
    if 0 not in outer[0] and (first < low or last > high):
        raise RuntimeError(
            f"result = tensor.as_strided({list(outer[0])}, {list(outer[1])}, {outer[2]}) can "
            f"access memory outside of `tensor`: elements {first} to {last} of its storage, where "
            f"an example of shape {list(inner[0])} has {low} to {high}. Inside of vmap elements "
            "beyond it may belong to other examples. Fix: use slices and other views instead."
        )


@helper
def _span(layout):
    """The places of the first and the last element of a layout in its storage."""
    shape, strides, offset = layout
    return offset, offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


@op(
    vjp={"x": lambda g, inner, outer: strided_spread(g, inner=inner, outer=outer)},
    jvp={"x": lambda t, inner, outer: strided_gather(t, inner=inner, outer=outer)},
    batch=_strided_batch,
    view=True,
    types=lambda x, *, inner, outer: [((*outer[0],), x.dtype)],
)
def as_strided(x, *, inner, outer):
    """The storage of x, whose own layout is `inner`, read with the layout `outer`."""
    steps = tuple(s // x.itemsize for s in x.strides)
    shape, strides, offset = outer
    if not _same_steps(x.shape, steps, inner[1]):
        return strided_gather(x, inner=inner, outer=outer)  # another layout: not the same storage
    bytes_ = tuple(s * x.itemsize for s in strides)
    return reach(x, shape, bytes_, (offset - inner[2]) * x.itemsize)


def _same_steps(shape, mine, given):
    return all(n <= 1 or a == b for n, a, b in zip(shape, mine, given, strict=True))


@op(
    vjp={"x": lambda g, inner, outer: strided_spread(g, inner=inner, outer=outer)},
    linear_in=("x",),
    batch="loop",
    types=lambda x, *, inner, outer: [((*outer[0],), x.dtype)],
)
def strided_gather(x, *, inner, outer):
    """What as_strided would show if x lay in memory as `inner`; zero where x has no element."""
    numbers = strided_numbers(inner, outer)
    values = _shared(np.ascontiguousarray(x).reshape(-1), inner)
    return np.append(values, np.zeros(1, x.dtype))[numbers]


@op(
    vjp={"g": lambda g, inner, outer: strided_gather(g, inner=inner, outer=outer)},
    linear_in=("g",),
    batch="loop",
    types=lambda g, *, inner, outer: [((*inner[0],), g.dtype)],
)
def strided_spread(g, *, inner, outer):
    """Each value of g added to the element it was read from: the transpose of strided_gather."""
    numbers = strided_numbers(inner, outer)
    size = int(np.prod(inner[0]))
    out = np.zeros(size + 1, g.dtype)
    np.add.at(out, numbers, g)
    return _shared(out[:size], inner).reshape(inner[0])


def _shared(values, layout):
    """Values of a layout, where elements at one place have the mean of theirs.

    A place that several elements show has one value: each of them answers for its part of it.
    """
    if values.dtype.kind not in "fVc" or not any(n > 1 for n in layout[0]):
        return values
    at, which, counts = np.unique(places(layout), return_inverse=True, return_counts=True)
    if len(at) == values.size:
        return values
    totals = np.zeros(len(at), np.result_type(values.dtype, np.float64) if values.dtype.kind == "c"
                      else np.float64)  # fmt: skip
    np.add.at(totals, which.reshape(-1), values)
    return (totals / counts)[which.reshape(-1)].astype(values.dtype)


def places(layout):
    """The storage position of every element of a layout."""
    shape, strides, offset = layout
    found = np.full(shape, offset, np.int64)
    for axis, (n, step) in enumerate(zip(shape, strides, strict=True)):
        line = [1] * len(shape)
        line[axis] = n
        found += (np.arange(n) * step).reshape(line)
    return found


def strided_numbers(inner, outer):
    """For every element of `outer` the flat number of the element of `inner` at the same place.

    Places that `inner` does not show get one number past the end.
    """
    have, want = places(inner).reshape(-1), places(outer)
    end = 1 + max(int(have.max(initial=0)), int(want.max(initial=0)))
    number_at = np.full(end, have.size, np.int64)
    number_at[have] = np.arange(have.size)
    return number_at[want]


# ---- the parts of complex numbers ----------------------------------------------------------------


@op(
    vjp={"x": lambda g: view_as_complex(g)},
    linear_in=("x",),
    batch=lambda x, params: params,
    view=True,
)
def view_as_real(x):
    """The real and imaginary parts as a last dimension of length 2."""
    if x.dtype.kind == COMPLEX_HALF:
        return half_parts(x)
    part = np.dtype("f4" if x.itemsize == 8 else "f8")
    return x[..., None].view(part)


@op(
    vjp={"x": lambda g: view_as_real(g)},
    linear_in=("x",),
    batch=lambda x, params: params,
    view=True,
)
def view_as_complex(x):
    """Pairs along the last dimension as complex numbers (a copy where memory does not allow it)."""
    whole = complex32.np if x.itemsize == 2 else np.dtype("c8" if x.itemsize == 4 else "c16")
    if x.size and x.strides[-1] != x.itemsize:
        x = np.ascontiguousarray(x)
    return x.view(whole)[..., 0]


def _view_dtype_batch(values, batched, size, params):
    x = values[0]
    if len(x.shape) > 1:
        return view_dtype(x, dtype=params["dtype"])
    return reshape(view_dtype(unsqueeze(x, axis=1), dtype=params["dtype"]), shape=(size,))


@op(nondiff=("x",), batch=_view_dtype_batch, view=True)
def view_dtype(x, *, dtype):
    """The bytes of x as another type; the last dimension grows or shrinks with the item size."""
    return x.view(dtype)
