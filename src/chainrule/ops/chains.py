"""Chains of view ops: reading and writing the part of a tensor that they select.

A chain is ((op name, ((parameter, value), ...)), ...) from the root to the view. In-place writes
through views are recorded with these ops (see `autograd/inplace.py`).
"""

from __future__ import annotations

import numpy as np

from .layout import dense_copy
from .result_types import as_first
from .schema import TABLE, helper, op
from .worlds import ARRAYS

# Views that may show one element several times; their transposes add up.
_OVERLAPPING = {"broadcast_to", "unfold", "as_strided"}
_TO_PARTS = {"view_as_real", "real", "imag"}


@op(
    vjp={
        "base": lambda g, chain: erase_view(g, chain=chain),
        "value": lambda g, chain: written(g, chain),
    },
    linear_in="all",
    batch="loop",
    node="CopySlices",
    types=as_first,
)
def write_view(base, value, *, chain):
    """base with `value` written into the view that the ops in `chain` select."""
    out = dense_copy(base)  # memory keeps its layout, whatever is written into it
    view = through(out, chain)
    if np.may_share_memory(view, out) or not view.size:
        view[...] = value
        return out
    flat = out.ravel()
    _put(flat, chain, _numbers(base.shape, chain), value)
    return flat.reshape(base.shape)


@helper
def written(g, chain):
    """The part of g that a chain selects; of values written to one place the last one counts."""
    if any(name in ("broadcast_to", "unfold", "as_strided") for name, _ in chain):
        return view_written(g, chain=chain)
    return follow(g, chain)


def last_writers(shape, chain):
    """(number in the root of each element that a chain selects, whether it is the last there)."""
    numbers = _numbers(shape, chain)
    order = np.arange(numbers.size).reshape(numbers.shape)
    last = np.empty(2 * int(np.prod(shape)), np.int64)  # there may be two parts to an element
    last[numbers.reshape(-1)] = order.reshape(-1)
    return numbers, last[numbers] == order


@op(
    vjp={"x": lambda g, x_shape, chain: fill_written(g, chain=chain, shape=x_shape)},
    linear_in=("x",),
    batch="loop",
)
def view_written(x, *, chain):
    """The part of x that a chain selects, with zeros for all but one of what is one place in x."""
    _, last = last_writers(x.shape, chain)
    part = through(np.asarray(x, order="C"), chain)
    return np.where(last, part, np.zeros((), part.dtype))


@op(
    vjp={"g": lambda g, chain: view_written(g, chain=chain)},
    linear_in=("g",),
    batch="loop",
)
def fill_written(g, *, chain, shape):
    """The transpose of view_written."""
    numbers, last = last_writers(shape, chain)
    out = np.zeros(int(np.prod(shape)), _root_type(g.dtype, chain))
    _put(out, chain, numbers[last], g[last])
    return out.reshape(shape)


@op(
    vjp={"base": lambda g, chain: erase_view(g, chain=chain)},
    linear_in=("base",),
    batch="loop",
)
def erase_view(base, *, chain):
    """base with zeros in the view that the ops in `chain` select."""
    return write_view(base, np.zeros((), np.int8), chain=chain)  # the view may be of real parts


@op(
    vjp={"x": lambda g, x_shape, chain: view_fill(g, chain=chain, shape=x_shape)},
    linear_in=("x",),
    batch="loop",
    node="AsStridedBackward0",
)
def view_chain(x, *, chain):
    """The part of x that a chain of view ops selects, as a copy."""
    return through(np.asarray(x, order="C"), chain).copy()


@op(
    vjp={"g": lambda g, chain: view_chain(g, chain=chain)},
    linear_in=("g",),
    batch="loop",
)
def view_fill(g, *, chain, shape):
    """Zeros of `shape` with g where the chain selects (added where it selects twice)."""
    out = np.zeros(shape, _root_type(g.dtype, chain))
    stages = [out]
    for step in chain:
        stages.append(through(stages[-1], (step,)))
    if not any(name in _OVERLAPPING for name, _ in chain):
        if np.may_share_memory(stages[-1], out) or not g.size:
            stages[-1][...] = g
        else:
            _put(out.ravel(), chain, _numbers(shape, chain), g)
        return out
    for (name, params), array in zip(reversed(chain), reversed(stages[:-1]), strict=True):
        g = _transposed(TABLE[name], g, array, dict(params))
    return g


@helper
def follow(g, chain):
    """The part of g that a chain of view ops selects."""
    return view_chain(g, chain=chain)


def through(array, chain):
    """Apply a chain of view ops to an array.

    The chain was made for memory of one layout; in another a view of another shape is a copy.
    """
    for name, params in chain:
        name = "reshape" if name == "view" else name
        array = TABLE[name].forward(array, **dict(params))
    return array


def _numbers(shape, chain):
    """Which elements a chain selects, counted row by row.

    Where it takes complex numbers apart, their parts are counted; what it puts together has the
    number of its real part.
    """
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    names = {name for name, _ in chain}
    if names & _TO_PARTS:
        return _as_numbers(through(2 * numbers + (2 * numbers + 1) * 1j, chain))
    if "view_as_complex" in names:
        return _as_numbers(through(numbers.astype(np.float64), chain))
    return np.abs(through(numbers, chain))  # a negative that is left to be computed


def _as_numbers(found):
    return np.abs(found.real.astype(np.int64))


def _put(flat, chain, numbers, values):
    """Write values to what was counted by `_numbers`: elements, or parts of elements."""
    values = _as_stored(values, chain)
    casts = [name for name, _ in chain if name in _TO_PARTS or name == "view_as_complex"]
    if casts and flat.dtype.kind == "c":
        flat = flat.view(f"f{flat.itemsize // 2}")
    if casts and casts[-1] == "view_as_complex":
        flat[numbers], flat[numbers + 1] = np.real(values), np.imag(values)
    else:
        flat[numbers] = values


def _as_stored(values, chain):
    """What has to be stored where a chain leaves a conjugate or a negative to be computed."""
    names = [name for name, _ in chain]
    if names.count("conj_view") % 2:
        values = np.conjugate(values)
    return np.negative(values) if names.count("neg_view") % 2 else values


def _root_type(dtype, chain):
    """The type of what the chain was applied to, given the type of its result."""
    for name, _ in reversed(chain):
        if name in _TO_PARTS:
            dtype = np.result_type(dtype, np.complex64)
        elif name == "view_as_complex":
            dtype = np.dtype("f4" if dtype.itemsize == 8 else "f8")
    return dtype


def _transposed(view_op, g, x, params):
    """The gradient of one view op's input, by its own rule on arrays."""
    (rule,) = view_op.vjps.values()
    known = {"g": g, "x": x, "x_shape": x.shape, "x_dtype": x.dtype, "x_ndim": x.ndim, **params}
    names = rule.__code__.co_varnames[: rule.__code__.co_argcount]
    return ARRAYS.bind(rule)(*(known[name] for name in names))
