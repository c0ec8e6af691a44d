"""Types, copies and the parts of complex numbers."""

from __future__ import annotations

import numpy as np

from .. import ir
from .dtypes import F32 as _SINGLE
from .halves import COMPLEX_HALF, half_parts, rounded, wide
from .layout import dense_cast, dense_copy
from .result_types import as_first
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(
    vjp={"x": lambda g, x_dtype: cast(real_if(g, x_dtype), dtype=x_dtype)},
    linear_in=("x",),
    batch="elementwise",
    node="ToCopyBackward0",
    lower=ir.cast,
    aten=("to", "_to_copy"),
    types=as_first,
)
def cast(x, *, dtype):
    """x in another type."""
    if x.dtype.kind == "V" and x.dtype.itemsize == 2 and dtype is _SINGLE:
        return wide(x)
    if dtype.kind == "V" and x.dtype is _SINGLE and dtype.itemsize == 2:
        return rounded(x, dtype)
    if x.dtype.kind == COMPLEX_HALF:
        x = dense_cast(x, np.dtype(np.complex64))
    if dtype.kind == COMPLEX_HALF:
        return dense_cast(x, dtype)
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = np.real(x)
    if dtype.kind in "iu" and x.dtype.kind == "f" and dtype.itemsize < 4:
        x = dense_cast(
            x, np.dtype(np.int32)
        )  # floats are out of 32 bits' range first, as in PyTorch
    if dtype.itemsize == 1 and dtype.kind not in "biu":
        x = held_by(x, dtype.name)
    return dense_cast(x, dtype)


def held_by(x, name):
    """What of x a float8 type can hold, where PyTorch saturates or drops the sign."""
    if name == "float8_e4m3fn":
        return np.clip(x.astype(np.float64), -448.0, 448.0)
    if name == "float8_e8m0fnu":  # powers of two
        return np.maximum(np.abs(x.astype(np.float64)), 2.0**-127)
    return x


@helper
def real_if(g, dtype):
    """The real part of g when `dtype` is a real type."""
    return real(g) if dtype.kind not in "cW" and g_dtype(g).kind == "c" else g


@op(vjp={"x": lambda g: g}, linear_in=("x",), batch="elementwise", node="CloneBackward0",
    lower=ir.identity, types=as_first)  # fmt: skip
def clone(x):
    """A copy of x that keeps its history."""
    return dense_copy(x)


@op(vjp={"x": lambda g: g}, linear_in=("x",), batch="elementwise", view=True, lower=ir.identity)
def alias(x):
    """x itself, as a new tensor."""
    return x[...]


@op(vjp={"x": lambda g: g}, linear_in=("x",), batch="elementwise", node="CopyBackwards",
    broadcasts=True, lower=ir.identity, aten=("copy_",), types=as_first)  # fmt: skip
def copy_value(x):
    """x's value written over another tensor's."""
    return x.copy()


# ---- complex parts -----------------------------------------------------------------------------


@op(vjp={"x": lambda g: conj(g)}, jvp="same", batch="elementwise",
    node="ConjBackward0")  # fmt: skip
def conj(x):
    """The complex conjugate (x itself when real)."""
    return np.conjugate(x) if x.dtype.kind == "c" else x


@op(vjp={"x": lambda g: conj(g)}, jvp={"x": lambda t: conj_view(t)}, batch="elementwise",
    view=True, node="ConjBackward0")  # fmt: skip
def conj_view(x):
    """The complex conjugate, on the memory of x (`autograd/lazy.py`)."""
    return np.conjugate(x)


@op(vjp={"x": lambda g: -g}, linear_in=("x",), batch="elementwise", view=True,
    node="NegViewBackward0")  # fmt: skip
def neg_view(x):
    """The negative, on the memory of x (`autograd/lazy.py`)."""
    return np.negative(x)


@op(
    vjp={"x": lambda g, x_dtype: cast(g, dtype=x_dtype)},
    jvp={"x": lambda t: real(t)},
    batch="elementwise",
    view=True,
)
def real(x):
    """The real part: a view."""
    return half_parts(x)[..., 0] if x.dtype.kind == COMPLEX_HALF else x.real


@op(
    vjp={"x": lambda g, x_dtype: cast(g, dtype=x_dtype) * 1j},
    jvp={"x": lambda t: imag(t)},
    batch="elementwise",
    view=True,
)
def imag(x):
    """The imaginary part of a complex x: a view."""
    return half_parts(x)[..., 1] if x.dtype.kind == COMPLEX_HALF else x.imag


@op(
    vjp={"x": lambda g, x: angle_pull(g, x)},
    jvp={"x": lambda t, x: angle_push(t, x)},
    broadcasts=True,
    promote="float",
    lower=ir.pointwise(
        lambda x: ir.select(ir.isnan(x), x, ir.select(x < 0, 3.141592653589793, 0.0)),
    ),
    public={"inplace": False},
)
def angle(x):
    """The angle of a complex number; of a real one 0, or pi where it is negative."""
    if x.dtype.kind == "c":
        return np.angle(x)
    turn = np.where(np.less(x, 0), np.asarray(np.pi, x.dtype), np.zeros((), x.dtype))
    return np.where(np.isnan(x), x, turn)


@helper
def angle_pull(g, x):
    """g times i x / |x|^2, the direction in which the angle grows; 0 at the origin."""
    if g_dtype(x).kind != "c":
        return zeroed(g)
    size = abs(x)
    return where(size == 0, 0.0, g * (x * 1j) / (size * size))


@helper
def angle_push(t, x):
    """The part of t along i x, over |x|^2."""
    if g_dtype(x).kind != "c":
        return zeroed(t)
    size = abs(x)
    return where(size == 0, 0.0, imag(conj(x) * t) / (size * size))
