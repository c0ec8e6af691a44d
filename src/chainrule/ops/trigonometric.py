"""Functions of one array, element by element: trigonometric and hyperbolic ones."""

from __future__ import annotations

import numpy as np

from .. import ir
from .dtypes import F32
from .formulas import Formula
from .kernels import fast
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

Formula("sin", "forward")
Formula("cos", "forward")


@op(
    partials={"x": lambda x: cos(x)},
    arrays={"x": Formula("sin", "gradient")},
    promote="float",
    lower=ir.sin,
    keeps_zero=True,
    public={},
)
def sin(x):
    """The sine of x."""
    done = fast.sin(x)
    return np.sin(x) if done is None else done


@op(
    partials={"x": lambda x: -sin(x)},
    arrays={"x": Formula("cos", "gradient")},
    promote="float",
    lower=ir.cos,
    public={},
)
def cos(x):
    """The cosine of x."""
    done = fast.cos(x)
    return np.cos(x) if done is None else done


@op(partials={"x": lambda out: out * out + 1}, promote="float",
    lower=ir.tan, keeps_zero=True, public={})  # fmt: skip
def tan(x):
    """The tangent of x."""
    return np.tan(x)


@op(partials={"x": lambda x: rsqrt(1 - x * x)}, promote="float",
    lower=ir.asin, keeps_zero=True, public={"aliases": ("arcsin",)})  # fmt: skip
def asin(x):
    """The angle whose sine is x."""
    return np.arcsin(x)


@op(partials={"x": lambda x: -rsqrt(1 - x * x)}, promote="float",
    lower=ir.acos, public={"aliases": ("arccos",)})  # fmt: skip
def acos(x):
    """The angle whose cosine is x."""
    return np.arccos(x)


@op(
    partials={"x": lambda x: 1 / (x * x + 1)},
    promote="float",
    lower=ir.atan,
    keeps_zero=True,
    public={"aliases": ("arctan",)},
)
def atan(x):
    """The angle whose tangent is x."""
    return np.arctan(x)


@op(partials={"x": lambda x: cosh(x)}, promote="float", lower=ir.sinh, keeps_zero=True, public={})
def sinh(x):
    """The hyperbolic sine of x."""
    return np.sinh(x)


@op(partials={"x": lambda x: sinh(x)}, promote="float", lower=ir.cosh, public={})
def cosh(x):
    """The hyperbolic cosine of x."""
    return np.cosh(x)


_ONE = np.ones((), F32)  # an array spares NumPy the conversion of a number


@op(
    partials={"x": lambda out: 1 - out * out},
    arrays={"x": Formula("tanh", "gradient")},
    promote="float",
    lower=ir.tanh,
    keeps_zero=True,
    public={"aliases": ("nn.functional.tanh",)},
)
def tanh(x):
    """The hyperbolic tangent of x."""
    return np.tanh(x)


@op(
    partials={"x": lambda x: rsqrt(x * x + 1)},
    promote="float",
    lower=ir.asinh,
    keeps_zero=True,
    public={"aliases": ("arcsinh",)},
)
def asinh(x):
    """The number whose hyperbolic sine is x."""
    return np.arcsinh(x)


@op(partials={"x": lambda x: acosh_slope(x)}, promote="float",
    lower=ir.acosh, public={"aliases": ("arccosh",)})  # fmt: skip
def acosh(x):
    """The number whose hyperbolic cosine is x."""
    return np.arccosh(x)


@helper
def acosh_slope(x):
    """1 / sqrt(x^2 - 1); off the real axis the two roots must be taken apart."""
    if g_dtype(x).kind == "c":
        return rsqrt(x + 1) * rsqrt(x - 1)
    return rsqrt(x * x - 1)


@op(partials={"x": lambda x: 1 / (1 - x * x)}, promote="float",
    lower=ir.atanh, keeps_zero=True, public={"aliases": ("arctanh",)})  # fmt: skip
def atanh(x):
    """The number whose hyperbolic tangent is x."""
    return np.arctanh(x)


def _sinc_scalar(x):
    y = x * 3.141592653589793
    return ir.select(y == 0, 1.0, ir.sin(y) / y)


@op(
    partials={"x": lambda x: sinc_slope(x)}, promote="float", lower=ir.pointwise(_sinc_scalar),
    public={"aliases": ("special.sinc",)}
)  # fmt: skip
def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0."""
    if x.dtype.itemsize == 2:
        return sinc(x.astype(np.float32)).astype(x.dtype)
    y = x * np.pi
    return np.where(y == 0, np.ones((), x.dtype), np.sin(y) / y)


@helper
def sinc_slope(x):
    """(cos(u) - sin(u) / u) pi / u at u = pi x; its series near 0, where that cancels."""
    u = x * 3.141592653589793
    small = abs(u) < 0.3
    v = where(small, 1.0, u)
    w = u * u
    series = -u / 3 * (1 - w / 10 * (1 - w / 28 * (1 - w / 54 * (1 - w / 88))))
    return where(small, series, (cos(v) - sin(v) / v) / v) * 3.141592653589793
