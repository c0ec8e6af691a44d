"""Comparisons, tests of single values, logic and bits: results without a derivative."""

from __future__ import annotations

import numpy as np

from .. import ir
from .schema import helper, op


def _comparison(name, ufunc, lower, doc, refuses=None, public=None):
    """Declare a comparison: bool result, operands promoted first."""

    def forward(a, b):
        return ufunc(a, b)

    forward.__name__ = name
    forward.__doc__ = doc
    op(
        nondiff=("a", "b"),
        broadcasts=True,
        refuses=refuses or {},
        lower=lower,
        public=public,
    )(forward)


_comparison("eq", np.equal, ir.eq, "Whether a equals b.", public={"numbers": "other"})
_comparison(
    "ne",
    np.not_equal,
    ir.ne,
    "Whether a differs from b.",
    public={"aliases": ("not_equal",), "numbers": "other"},
)
_comparison(
    "lt",
    np.less,
    ir.lt,
    "Whether a is less than b.",
    {"c": ""},
    public={"aliases": ("less",), "numbers": "other"},
)
_comparison(
    "le",
    np.less_equal,
    ir.le,
    "Whether a is at most b.",
    {"c": ""},
    public={"aliases": ("less_equal",), "numbers": "other"},
)
_comparison(
    "gt",
    np.greater,
    ir.gt,
    "Whether a is greater than b.",
    {"c": ""},
    public={"aliases": ("greater",), "numbers": "other"},
)
_comparison(
    "ge",
    np.greater_equal,
    ir.ge,
    "Whether a is at least b.",
    {"c": ""},
    public={"aliases": ("greater_equal",), "numbers": "other"},
)
_comparison(
    "logical_and",
    np.logical_and,
    ir.logical_and,
    "Whether both are nonzero.",
    public={"numbers": "none"},
)
_comparison(
    "logical_or",
    np.logical_or,
    ir.logical_or,
    "Whether either is nonzero.",
    public={"numbers": "none"},
)
_comparison(
    "logical_xor",
    np.logical_xor,
    ir.logical_xor,
    "Whether exactly one is nonzero.",
    public={"numbers": "none"},
)


@op(nondiff=("a", "b"), broadcasts=True)
def isclose(a, b, *, rtol, atol, equal_nan):
    """Whether |a - b| <= atol + rtol |b|; infinities only equal themselves."""
    if a.dtype.kind in "biu":
        near = np.equal(a, b)
        if not rtol and not atol:
            return near
        a, b = a.astype(np.float64), b.astype(np.float64)
    else:
        near = np.equal(a, b)
    near = near | (np.isfinite(b) & (np.absolute(a - b) <= atol + np.absolute(rtol * b)))
    return near | (np.isnan(a) & np.isnan(b)) if equal_nan else near


# ---- of one value ------------------------------------------------------------------------------


@op(
    nondiff=("x",),
    broadcasts=True,
    lower=ir.isnan,
    keeps_zero=True,
    public={"inplace": False, "out": False},
)
def isnan(x):
    """Whether x is not a number."""
    return np.isnan(x)


@op(
    nondiff=("x",),
    broadcasts=True,
    lower=ir.isinf,
    keeps_zero=True,
    public={"inplace": False, "out": False},
)
def isinf(x):
    """Whether x is infinite."""
    return np.isinf(x)


@op(nondiff=("x",), broadcasts=True, lower=ir.isfinite, public={"inplace": False, "out": False})
def isfinite(x):
    """Whether x is neither infinite nor NaN."""
    return np.isfinite(x)


@op(
    nondiff=("x",),
    broadcasts=True,
    refuses={"c": "isposinf does not support complex inputs."},
    lower=ir.pointwise(lambda x: x == float("inf")),
    public={"inplace": False},
)
def isposinf(x):
    """Whether x is +inf."""
    return np.equal(x, np.inf)


@op(
    nondiff=("x",),
    broadcasts=True,
    refuses={"c": "isneginf does not support complex inputs."},
    lower=ir.pointwise(lambda x: x == float("-inf")),
    public={"inplace": False},
)
def isneginf(x):
    """Whether x is -inf."""
    return np.equal(x, -np.inf)


@op(nondiff=("x",), broadcasts=True, public={"inplace": False, "out": False})
def isreal(x):
    """Whether the imaginary part is 0."""
    return np.equal(x.imag, 0) if x.dtype.kind == "c" else np.ones(x.shape, np.bool_)


@op(
    nondiff=("x",),
    broadcasts=True,
    refuses={"c": "signbit is not implemented for complex tensors."},
    lower=ir.pointwise(lambda x: ir.copysign(1.0, x) < 0),
    public={"inplace": False},
)
def signbit(x):
    """Whether the sign bit of x is set; it is for -0.0."""
    return np.signbit(x) if x.dtype.kind not in "biu" else np.less(x, 0)


@op(nondiff=("x",), broadcasts=True, lower=ir.logical_not, public={})
def logical_not(x):
    """Whether x is zero."""
    return np.logical_not(x)


@helper
def no_derivative(name):
    """Stop: PyTorch defines no derivative for this function, not even a zero one."""
    raise RuntimeError(
        f"derivative for aten::{name} is not implemented\n  Fix: detach() its arguments if it is "
        "meant as a constant."
    )


@op(
    vjp={
        "x": lambda g: no_derivative("heaviside"),
        "at_zero": lambda g: no_derivative("heaviside"),
    },
    jvp=lambda t_x, t_at_zero: no_derivative("heaviside"),
    broadcasts=True,
    refuses={"c": ""},
    node="NotImplemented",
    lower=ir.pointwise(
        lambda x, at_zero: ir.select(x == 0, at_zero, ir.select(x > 0, 1, 0)),
    ),
)
def heaviside(x, at_zero):
    """0 where x is negative or NaN, 1 where positive, `at_zero` where x is 0."""
    one = np.ones((), x.dtype)
    return np.where(np.equal(x, 0), at_zero, np.where(np.greater(x, 0), one, np.zeros_like(one)))


@op(
    vjp={"value": lambda g: g, "source": lambda g, name: no_derivative(name)},
    jvp=lambda t_value, t_source, name: no_derivative(name),
    batch="loop",
    node="NotImplemented",
)
def computed_from(value, source, *, name):
    """A copy of what `name` made of `source` in a way that has no derivative."""
    return np.array(value)


# ---- bits --------------------------------------------------------------------------------------

_NO_BITS = {"fVc": ""}


@op(
    nondiff=("a", "b"),
    broadcasts=True,
    refuses=_NO_BITS,
    lower=ir.bitwise_and,
    public={"numbers": "some"},
)
def bitwise_and(a, b):
    """The bits set in both (of bools: whether both are True)."""
    return np.bitwise_and(a, b)


@op(
    nondiff=("a", "b"),
    broadcasts=True,
    refuses=_NO_BITS,
    lower=ir.bitwise_or,
    public={"numbers": "some"},
)
def bitwise_or(a, b):
    """The bits set in either (of bools: whether either is True)."""
    return np.bitwise_or(a, b)


@op(
    nondiff=("a", "b"),
    broadcasts=True,
    refuses=_NO_BITS,
    lower=ir.bitwise_xor,
    public={"numbers": "some"},
)
def bitwise_xor(a, b):
    """The bits set in exactly one (of bools: whether they differ)."""
    return np.bitwise_xor(a, b)


@op(
    nondiff=("x",),
    broadcasts=True,
    refuses=_NO_BITS,
    lower=ir.bitwise_not,
    public={},
)
def bitwise_not(x):
    """All bits flipped (of a bool: its negation)."""
    return np.invert(x)


@op(
    nondiff=("a", "b"),
    broadcasts=True,
    refuses={"fVcb": ""},
    lower=ir.shift_left,
    public={"numbers": "some"},
)
def bitwise_left_shift(a, b):
    """The bits of a moved left by b places."""
    return np.left_shift(a, b)


@op(
    nondiff=("a", "b"),
    broadcasts=True,
    refuses={"fVcb": ""},
    lower=ir.shift_right,
    public={"numbers": "some"},
)
def bitwise_right_shift(a, b):
    """The bits of a moved right by b places, the sign kept."""
    return np.right_shift(a, b)
