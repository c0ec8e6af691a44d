"""Ops that pick one of their inputs: where, maximum, clamp, relu.

Their rules use `where`: multiplying by a 0/1 factor would turn an infinite gradient into NaN.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .formulas import Formula
from .kernels import fast
from .schema import op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


_BITS = {np.dtype("f4"): np.dtype("i4"), np.dtype("f8"): np.dtype("i8")}
_LARGE = 2048  # from here on np.where's branch per element costs more than arithmetic on bits


def pick(cond, a, b):
    """np.where, ten times as fast for large float arrays: a bit pattern times 0 or 1 is exact."""
    if cond.__class__ is not np.ndarray or cond.size < _LARGE or cond.dtype.char != "?":
        return _where(cond, a, b)
    zero_a = a.__class__ is float and a == 0.0
    kept = b if zero_a else a
    bits = _BITS.get(getattr(kept, "dtype", None))
    if bits is None or kept.shape != cond.shape:
        return _where(cond, a, b)
    if zero_a:
        return (kept.view(bits) * ~cond).view(kept.dtype)
    if b.__class__ is float and b == 0.0:
        return (kept.view(bits) * cond).view(kept.dtype)
    if getattr(b, "dtype", None) != kept.dtype or b.shape != cond.shape:
        return np.where(cond, a, b)
    other = b.view(bits)
    mixed = kept.view(bits) ^ other
    mixed *= cond
    mixed ^= other
    return mixed.view(kept.dtype)


def _where(cond, a, b):
    try:
        return np.where(cond, a, b)
    except TypeError:  # NumPy does not know how a number becomes complex32
        kind = (b if a.__class__ is float else a).dtype
        return np.where(cond, np.asarray(a, kind), np.asarray(b, kind))


@op(
    vjp={"a": lambda g, cond: where(cond, g, 0.0), "b": lambda g, cond: where(cond, 0.0, g)},
    jvp="same",
    nondiff=("cond",),
    broadcasts=True,
    lower=ir.where,
)
def where(cond, a, b):
    """a where cond holds, else b."""
    return pick(cond, a, b)


_RELU = Formula("relu", "forward")


@op(
    vjp={"x": lambda g, out: where(out <= 0, 0.0, g)},  # NaN lets the gradient through
    arrays={"x": Formula("relu", "gradient")},
    jvp="same",
    broadcasts=True,
    refuses={"c": "", "b": "Boolean inputs not supported for relu"},
    lower=ir.relu,
    flat=("x",),
    aten=("relu", "clamp_min"),
    keeps_zero=True,
    public={"out": False},
)
def relu(x):
    """x where positive, else 0."""
    done = fast.relu(x)
    return _RELU.by_numpy(x) if done is None else done


# At a tie each of the two gets half; with a NaN involved both get the whole, as in PyTorch.
@op(
    vjp={
        "a": lambda g, a, b: where(a < b, 0.0, where(a == b, g * 0.5, g)),
        "b": lambda g, a, b: where(a > b, 0.0, where(a == b, g * 0.5, g)),
    },
    jvp="same",
    broadcasts=True,
    refuses={"c": "maximum not implemented for complex tensors."},
    lower=ir.maximum,
    public={"inplace": False, "numbers": "none"},
)
def maximum(a, b):
    """The larger of a and b; NaN if either is NaN."""
    return np.maximum(a, b)


@op(
    vjp={
        "a": lambda g, a, b: where(a > b, 0.0, where(a == b, g * 0.5, g)),
        "b": lambda g, a, b: where(a < b, 0.0, where(a == b, g * 0.5, g)),
    },
    jvp="same",
    broadcasts=True,
    refuses={"c": "minimum not implemented for complex tensors."},
    lower=ir.minimum,
    public={"inplace": False, "numbers": "none"},
)
def minimum(a, b):
    """The smaller of a and b; NaN if either is NaN."""
    return np.minimum(a, b)


@op(
    vjp={
        "a": lambda g, a, b: where((a >= b) | isnan(b), g, 0.0),
        "b": lambda g, a, b: where((a >= b) | isnan(b), 0.0, g),
    },
    jvp="same",
    broadcasts=True,
    refuses={"c": ""},
    lower=ir.pointwise(lambda a, b: ir.select((a >= b) | ir.isnan(b), a, b)),
    public={"inplace": False, "numbers": "none"},
)
def fmax(a, b):
    """The larger of a and b; of a number and NaN the number."""
    return np.fmax(a, b)


@op(
    vjp={
        "a": lambda g, a, b: where((a <= b) | isnan(b), g, 0.0),
        "b": lambda g, a, b: where((a <= b) | isnan(b), 0.0, g),
    },
    jvp="same",
    broadcasts=True,
    refuses={"c": ""},
    lower=ir.pointwise(lambda a, b: ir.select((a <= b) | ir.isnan(b), a, b)),
    public={"inplace": False, "numbers": "none"},
)
def fmin(a, b):
    """The smaller of a and b; of a number and NaN the number."""
    return np.fmin(a, b)


# ---- clamping: at a bound x itself gets the gradient -------------------------------------------


_INFINITE = float("inf")
Formula("clamp", "gradient", numbers=("low", "high"))


def _within(x, low, high):
    """x kept within two numbers by a kernel; else None. NumPy takes arrays beside numbers one by
    one."""
    if low.__class__ is float and high.__class__ is float and low == low and high == high:
        return fast.hardtanh(x, low, high)
    return None


def _inner(g, x, low, high):
    """g where x lies within the bounds, else 0."""
    if low.__class__ is float and high.__class__ is float:
        done = fast.clamp_gradient(g, x, low, high)
        if done is not None:
            return done
    return pick((x >= low) & (x <= high), g, 0.0)


@op(
    vjp={
        "x": lambda g, x, low, high: where((x >= low) & (x <= high), g, 0.0),
        "low": lambda g, x, low, high: where((x < low) & (low < high), g, 0.0),
        "high": lambda g, x, low, high: where((x > high) | (high < low), g, 0.0),
    },
    arrays={"x": _inner},
    jvp="same",
    broadcasts=True,
    refuses={"c": "clamp is not supported for complex types"},
    numbers="fitting",
    node="ClampBackward1",
    lower=ir.pointwise(lambda x, low, high: ir.minimum(ir.maximum(x, low), high)),
)
def clamp(x, low, high):
    """x kept within low and high; high where they cross."""
    done = _within(x, low, high)
    return np.minimum(np.maximum(x, low), high) if done is None else done


@op(
    vjp={
        "x": lambda g, x, low: where(x >= low, g, 0.0),
        "low": lambda g, x, low: where(x < low, g, 0.0),
    },
    arrays={"x": lambda g, x, low: _inner(g, x, low, _INFINITE)},
    jvp="same",
    broadcasts=True,
    refuses={"c": "clamp is not supported for complex types"},
    numbers="fitting",
    lower=ir.maximum,
)
def clamp_min(x, low):
    """x, but not less than low."""
    done = _within(x, low, _INFINITE)
    return np.maximum(x, low) if done is None else done


@op(
    vjp={
        "x": lambda g, x, high: where(x <= high, g, 0.0),
        "high": lambda g, x, high: where(x > high, g, 0.0),
    },
    arrays={"x": lambda g, x, high: _inner(g, x, -_INFINITE, high)},
    jvp="same",
    broadcasts=True,
    refuses={"c": "clamp is not supported for complex types"},
    numbers="fitting",
    lower=ir.minimum,
)
def clamp_max(x, high):
    """x, but not more than high."""
    done = _within(x, -_INFINITE, high)
    return np.minimum(x, high) if done is None else done
