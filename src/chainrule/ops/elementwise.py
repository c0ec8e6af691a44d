"""Arithmetic and elementary functions, element by element.

Rules of selecting ops use `where`: multiplying by a 0/1 factor would turn inf into NaN.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .schema import helper, op

# ---- arithmetic --------------------------------------------------------------------------------


@op(
    vjp={"a": lambda g: g, "b": lambda g: g},
    linear_in="all",
    broadcasts=True,
    lower=ir.add,
)
def add(a, b):
    """The sum a + b."""
    return np.add(a, b)


@op(vjp={"a": lambda g: g, "b": lambda g: -g}, linear_in="all", broadcasts=True, lower=ir.sub)
def sub(a, b):
    """The difference a - b."""
    return np.subtract(a, b)


@op(partials={"a": lambda b: b, "b": lambda a: a}, lower=ir.mul)
def mul(a, b):
    """The product a * b."""
    return np.multiply(a, b)


@op(
    partials={"a": lambda b: reciprocal(b), "b": lambda b, out: -out / b},
    promote="float",
    domain={"b": "nonzero"},
    lower=ir.div,
)
def div(a, b):
    """The quotient a / b; integers divide to the default float type."""
    return np.true_divide(a, b)


@op(vjp={"x": lambda g: -g}, linear_in=("x",), broadcasts=True, lower=ir.neg)
def neg(x):
    """The negative -x."""
    return np.negative(x)


@op(
    partials={
        "a": lambda a, b: where(b == 0, 0.0, b * pow(a, b - 1)),
        "b": lambda a, b, out: where((a == 0) & (b_real(b) >= 0), 0.0, out * log(a)),
    },
    domain={"a": "positive"},
    lower=ir.power,
)
def pow(a, b):  # noqa: A001 - the op's public name
    """a to the power b."""
    return np.power(a, b)


@helper
def b_real(b):
    """The real part of an exponent, which may be a number."""
    return b.real


# ---- exponentials ------------------------------------------------------------------------------


@op(partials={"x": lambda out: out}, promote="float", lower=ir.exp)
def exp(x):
    """e to the power x."""
    return np.exp(x)


@op(
    partials={"x": lambda x: reciprocal(x)}, promote="float", domain={"x": "positive"},
    lower=ir.log,
)  # fmt: skip
def log(x):
    """The natural logarithm of x."""
    return np.log(x)


@op(
    partials={"x": lambda out: 0.5 / out}, promote="float", domain={"x": "positive"},
    lower=ir.sqrt,
)  # fmt: skip
def sqrt(x):
    """The square root of x."""
    return np.sqrt(x)


@op(
    partials={"x": lambda out: -(out * out)}, promote="float", domain={"x": "nonzero"},
    lower=ir.reciprocal,
)  # fmt: skip
def reciprocal(x):
    """One over x."""
    return np.reciprocal(x)


# ---- trigonometric and hyperbolic ------------------------------------------------------------------


@op(partials={"x": lambda x: cos(x)}, promote="float", lower=ir.sin)
def sin(x):
    """The sine of x."""
    return np.sin(x)


@op(partials={"x": lambda x: -sin(x)}, promote="float", lower=ir.cos)
def cos(x):
    """The cosine of x."""
    return np.cos(x)


@op(partials={"x": lambda out: (1 - out) * (1 + out)}, promote="float", lower=ir.tanh)
def tanh(x):
    """The hyperbolic tangent of x."""
    return np.tanh(x)


@op(partials={"x": lambda out: out * (1 - out)}, promote="float", lower=ir.sigmoid)
def sigmoid(x):
    """1 / (1 + exp(-x)), without overflow for any x."""
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    # exp of a negative number never overflows; tanh would lose the small tail.
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e).astype(x.dtype, copy=False) / (1 + e)


# ---- selecting -----------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, out: where(out > 0, g, 0.0)},
    jvp={"x": lambda t, out: where(out > 0, t, 0.0)},
    broadcasts=True,
    lower=ir.relu,
)
def relu(x):
    """x where positive, else 0."""
    return np.maximum(x, np.asarray(0, x.dtype))


@op(
    vjp={"a": lambda g, cond: where(cond, g, 0.0), "b": lambda g, cond: where(cond, 0.0, g)},
    jvp={"a": lambda t, cond: where(cond, t, 0.0), "b": lambda t, cond: where(cond, 0.0, t)},
    nondiff=("cond",),
    broadcasts=True,
    lower=ir.where,
)
def where(cond, a, b):
    """a where cond holds, else b."""
    return np.where(cond, a, b)


@op(
    vjp={
        "a": lambda g, a, b: where(a > b, g, where(a == b, g * 0.5, where(isnan(a), g, 0.0))),
        "b": lambda g, a, b: where(b > a, g, where(a == b, g * 0.5, where(isnan(a), 0.0, where(isnan(b), g, 0.0)))),
    },
    jvp={
        "a": lambda t, a, b: where(a > b, t, where(a == b, t * 0.5, where(isnan(a), t, 0.0))),
        "b": lambda t, a, b: where(b > a, t, where(a == b, t * 0.5, where(isnan(a), 0.0, where(isnan(b), t, 0.0)))),
    },
    broadcasts=True,
    lower=ir.maximum,
)  # fmt: skip
def maximum(a, b):
    """The larger of a and b; at a tie each gets half the gradient."""
    return np.maximum(a, b)


# ---- types ----------------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, x_dtype: cast(real_if(g, x_dtype), dtype=x_dtype)},
    linear_in=("x",),
    batch="elementwise",
    node="ToCopyBackward0",
    lower=ir.cast,
)
def cast(x, *, dtype):
    """x in another type."""
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real
    if dtype.kind in "iu" and x.dtype.kind == "f" and dtype.itemsize < 8:
        x = x.astype(np.int64)  # out-of-range floats wrap as in C, without NumPy's warning path
    return x.astype(dtype)


@helper
def real_if(g, dtype):
    """The real part of g when `dtype` is a real type."""
    return real(g) if dtype.kind != "c" else g


@op(vjp={"x": lambda g: g}, linear_in=("x",), batch="elementwise", node="CloneBackward0",
    lower=ir.identity)  # fmt: skip
def clone(x):
    """A copy of x that keeps its history."""
    return x.copy(order="K")


@op(vjp={"x": lambda g: g}, linear_in=("x",), batch="elementwise", view=True, lower=ir.identity)
def alias(x):
    """x itself, as a new tensor."""
    return x[...]


# ---- comparisons -------------------------------------------------------------------------------------


@op(nondiff=("a", "b"), broadcasts=True, lower=ir.eq)
def eq(a, b):
    """Whether a equals b."""
    return np.equal(a, b)


@op(nondiff=("a", "b"), broadcasts=True, lower=ir.ne)
def ne(a, b):
    """Whether a differs from b."""
    return np.not_equal(a, b)


@op(nondiff=("a", "b"), broadcasts=True, lower=ir.lt)
def lt(a, b):
    """Whether a is less than b."""
    return np.less(a, b)


@op(nondiff=("a", "b"), broadcasts=True, lower=ir.le)
def le(a, b):
    """Whether a is at most b."""
    return np.less_equal(a, b)


@op(nondiff=("a", "b"), broadcasts=True, lower=ir.gt)
def gt(a, b):
    """Whether a is greater than b."""
    return np.greater(a, b)


@op(nondiff=("a", "b"), broadcasts=True, lower=ir.ge)
def ge(a, b):
    """Whether a is at least b."""
    return np.greater_equal(a, b)


@op(nondiff=("x",), broadcasts=True, lower=ir.isnan)
def isnan(x):
    """Whether x is not a number."""
    return np.isnan(x)


# ---- complex parts -------------------------------------------------------------------------------------


@op(vjp={"x": lambda g: conj(g)}, jvp={"x": lambda t: conj(t)}, batch="elementwise",
    node="ConjBackward0",
    lower=ir.compose(lambda x: x if x.dtype.kind != "c" else None))  # fmt: skip
def conj(x):
    """The complex conjugate (x itself when real)."""
    return np.conjugate(x) if x.dtype.kind == "c" else x


@op(
    vjp={"x": lambda g, x_dtype: cast(g, dtype=x_dtype)},
    jvp={"x": lambda t: real(t)},
    batch="elementwise",
)
def real(x):
    """The real part."""
    return x.real


@op(vjp={"x": lambda g: g}, linear_in=("x",), batch="elementwise", node="CopyBackwards",
    broadcasts=True, lower=ir.identity)  # fmt: skip
def copy_value(x):
    """x's value written over another tensor's."""
    return x.copy()
