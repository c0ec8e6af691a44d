"""Functions of one array, element by element: arithmetic, powers, exponentials, rounding."""

from __future__ import annotations

import numpy as np

from .. import ir
from .formulas import Formula
from .kernels import fast
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

# ---- arithmetic --------------------------------------------------------------------------------


def inverted(x):
    """np.reciprocal; of complex numbers by division, which knows zeros and infinities."""
    return np.reciprocal(x) if x.dtype.kind != "c" else np.divide(x.dtype.type(1), x)


@op(
    vjp={"x": lambda g: -g},
    linear_in=("x",),
    broadcasts=True,
    refuses={
        "b": "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead."
    },
    lower=ir.neg,
    public={"aliases": ("negative",)},
)
def neg(x):
    """The negative -x."""
    return np.negative(x)


Formula("sign", "forward", quick=False)


@op(
    vjp={"x": lambda g, x: g * sgn(x)},
    arrays={"x": Formula("abs", "gradient", quick=False)},
    jvp={"x": lambda t, x: abs_push(t, x)},
    broadcasts=True,
    refuses={"b": ""},
    lower=ir.absolute,
    keeps_zero=True,
    public={"aliases": ("absolute",)},
)
def abs(x):  # noqa: A001 - the op's public name
    """The magnitude |x|; its slope at 0 counts as 0."""
    return np.absolute(x)


@helper
def abs_push(t, x):
    """The part of t along x."""
    return real(conj(sgn(x)) * t) if g_dtype(x).kind == "c" else t * sgn(x)


@op(nondiff=("x",), broadcasts=True, lower=ir.pointwise(lambda x: ir.const(0)))
def zeroed(x):
    """Zeros of x's shape and type, a constant: the slope of a step function, even where x is
    infinite. `blank` is the function that is zero.
    """
    return np.zeros(x.shape, x.dtype)


@op(
    vjp={"x": lambda g: zeroed(g)},
    jvp="same",
    broadcasts=True,
    refuses={
        "c": "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
        "torch.sgn instead."
    },
    lower=ir.sign,
    keeps_zero=True,
    public={},
)
def sign(x):
    """-1, 0 or 1 by the sign of x (0 for NaN)."""
    done = fast.sign(x)
    if done is not None:
        return done
    if x.dtype.kind == "b":
        return x.copy()
    return np.subtract(x > 0, x < 0, dtype=x.dtype)


@op(
    vjp={"x": lambda g, x, out: sgn_slope(g, x, out)},
    jvp="same",
    broadcasts=True,
    lower=ir.sign,
    keeps_zero=True,
    public={},
)
def sgn(x):
    """x / |x| for complex x (0 at 0), the sign for real x."""
    return np.sign(x) if x.dtype.kind == "c" else sign(x)


@helper
def sgn_slope(g, x, out):
    """The part of g across the direction of x, over |x|: a symmetric real-linear map."""
    if g_dtype(x).kind != "c":
        return zeroed(g)
    size = abs(x)
    return where(size == 0, 0.0, (g - out * out * conj(g)) / (2 * size))


@op(
    partials={"x": lambda x: 2 * x},
    node="PowBackward0",
    lower=ir.square,
    aten=("pow",),
    keeps_zero=True,
    public={},
)
def square(x):
    """x times x; True squares to the integer 1."""
    return np.square(x if x.dtype.kind != "b" else x.astype(np.int64))


@op(
    partials={"x": lambda out: 0.5 / out},
    arrays={"x": Formula("sqrt", "gradient", quick=False)},
    promote="float",
    lower=ir.sqrt,
    keeps_zero=True,
    public={},
)
def sqrt(x):
    """The square root of x."""
    return np.sqrt(x)


Formula("rsqrt", "forward", quick=False)


@op(
    partials={"x": lambda out: -0.5 * (out * out * out)},
    arrays={"x": Formula("rsqrt", "gradient", quick=False)},
    promote="float",
    lower=ir.rsqrt,
    public={},
)
def rsqrt(x):
    """One over the square root of x."""
    done = fast.rsqrt(x)
    if done is not None:
        return done
    if x.dtype.itemsize == 2:
        return np.reciprocal(np.sqrt(x.astype(np.float32))).astype(x.dtype)
    return inverted(np.sqrt(x))


@op(
    partials={"x": lambda out: -(out * out)},
    promote="float",
    lower=ir.reciprocal,
    public={},
)
def reciprocal(x):
    """One over x."""
    return inverted(x)


# ---- exponentials and logarithms ---------------------------------------------------------------


Formula("exp", "forward", single=True, quick=False)
Formula("log", "forward", single=True, quick=False)


@op(partials={"x": lambda out: out}, promote="float", lower=ir.exp, public={})
def exp(x):
    """e to the power x."""
    done = fast.exp(x)
    return np.exp(x) if done is None else done


@op(
    partials={"x": lambda out: out * 0.6931471805599453},
    promote="float",
    lower=ir.exp2,
    public={"aliases": ("special.exp2",)},
)
def exp2(x):
    """2 to the power x."""
    return np.exp2(x) if x.dtype.kind != "c" else np.exp(x * x.dtype.type(np.log(2.0)))


@op(
    partials={"x": lambda out: out + 1},
    promote="float",
    lower=ir.expm1,
    keeps_zero=True,
    public={"aliases": ("special.expm1",)},
)
def expm1(x):
    """exp(x) - 1, accurate near 0."""
    return np.expm1(x)


@op(
    partials={"x": lambda x: 1 / x},
    arrays={"x": Formula("log", "gradient", quick=False)},
    promote="float",
    lower=ir.log,
    public={},
)
def log(x):
    """The natural logarithm of x."""
    done = fast.log(x)
    return np.log(x) if done is None else done


@op(
    partials={"x": lambda x: 1 / (x * 0.6931471805599453)},
    promote="float",
    lower=ir.log2,
    public={},
)
def log2(x):
    """The logarithm of x to base 2."""
    return np.log2(x)


@op(
    partials={"x": lambda x: 1 / (x * 2.302585092994046)},
    promote="float",
    lower=ir.log10,
    public={},
)
def log10(x):
    """The logarithm of x to base 10."""
    return np.log10(x)


@op(
    partials={"x": lambda x: 1 / (x + 1)},
    promote="float",
    lower=ir.log1p,
    keeps_zero=True,
    public={"aliases": ("special.log1p",)},
)
def log1p(x):
    """log(1 + x), accurate near 0."""
    return np.log1p(x)


# Below -88 it gives 0, as PyTorch's does; the loops of plans, which reach subnormal numbers there,
# take a tenth longer.
_SIGMOID = Formula("sigmoid", "forward", body=lambda x: 1 / (1 + ir.exp(-x)))


@op(
    partials={"x": lambda out: out * (1 - out)},
    arrays={"x": Formula("sigmoid", "gradient")},
    promote="float",
    lower=ir.sigmoid,
    public={"aliases": ("special.expit", "nn.functional.sigmoid")},
)
def sigmoid(x):
    """1 / (1 + exp(-x)); an overflowing exp gives the limit 0."""
    done = fast.sigmoid(x)
    if done is not None:
        return done
    return np.reciprocal(1 + np.exp(-x)) if x.dtype.kind == "c" else _SIGMOID.by_numpy(x)


def _logit_scalar(x, *, eps):
    x = x if eps is None else ir.clamp(x, eps, 1 - eps)
    return ir.log(x / (1 - x))


@op(
    vjp={"x": lambda g, x, eps: logit_slope(g, x, eps)},
    jvp="same",
    broadcasts=True,
    promote="float",
    lower=ir.pointwise(_logit_scalar),
)
def logit(x, *, eps):
    """log(x / (1 - x)), with x kept within [eps, 1 - eps] unless eps is None."""
    if x.dtype.itemsize == 2:
        return logit(x.astype(np.float32), eps=eps).astype(x.dtype)
    if eps is not None:
        x = np.minimum(np.maximum(x, eps), 1 - eps)
    return np.log(x / (1 - x))


@helper
def logit_slope(g, x, eps):
    """g over x (1 - x); outside of the interval 0 when clamped, NaN when not."""
    slope = g / (x * (1 - x))
    if eps is None:
        return where((x < 0) | (x > 1), float("nan"), slope)
    return where((x < eps) | (x > 1 - eps), 0.0, slope)


# ---- rounding ----------------------------------------------------------------------------------


def rounded(x, decimals):
    """The scalar expression of `round`."""
    if decimals == 0:
        return ir.round_half_even(x)
    scale = 10.0 ** (decimals if decimals > 0 else -decimals)
    if decimals > 0:
        return ir.round_half_even(x * scale) / scale
    return ir.round_half_even(x / scale) * scale


def _steps(lower, phrase, public=None):
    """The declaration of a rounding op: flat between its steps."""
    return op(
        vjp={"x": lambda g: zeroed(g)},
        jvp="same",
        broadcasts=True,
        refuses={"c": phrase, "b": ""},
        keeps_zero=True,
        lower=lower,
        public=public,
    )


@_steps(ir.floor, "floor is not supported for complex inputs", public={})
def floor(x):
    """The largest integer not above x."""
    return x.copy() if x.dtype.kind in "biu" else np.floor(x)


@_steps(ir.ceil, "ceil is not supported for complex inputs", public={})
def ceil(x):
    """The smallest integer not below x."""
    return x.copy() if x.dtype.kind in "biu" else np.ceil(x)


@_steps(ir.trunc, "trunc is not supported for complex inputs", public={"aliases": ("fix",)})
def trunc(x):
    """x without its fraction."""
    return x.copy() if x.dtype.kind in "biu" else np.trunc(x)


@_steps(
    ir.pointwise(lambda x, *, decimals: rounded(x, decimals)),
    "round is not supported for complex inputs",
)
def round(x, *, decimals):  # noqa: A001 - the op's public name
    """x rounded to `decimals` places, halves to the even neighbour."""
    if x.dtype.kind in "biu":
        return x.copy()
    if decimals == 0:
        return np.rint(x)
    if x.dtype.itemsize == 2:
        return round(x.astype(np.float32), decimals=decimals).astype(x.dtype)
    scale = float(10.0 ** np.absolute(decimals))  # a NumPy scalar would widen float32
    return np.rint(x * scale) / scale if decimals > 0 else np.rint(x / scale) * scale


@op(
    vjp={"x": lambda g: g},
    jvp="same",
    broadcasts=True,
    refuses={"biuc": ""},
    lower=ir.pointwise(lambda x: x - ir.trunc(x)),
    public={},
)
def frac(x):
    """The fraction x - trunc(x)."""
    return x - np.trunc(x)


@op(
    vjp={"x": lambda g, out1: g[0] * exp2(cast(-out1, dtype=g_dtype(g[0])))},
    jvp={"x": lambda t, out1: (t * exp2(cast(-out1, dtype=g_dtype(t))), None)},
    n_out=2,
    nondiff_out=(1,),
    batch="elementwise",
)
def frexp(x):
    """Mantissa in [0.5, 1) and exponent with x = mantissa * 2 ** exponent."""
    mantissa, exponent = np.frexp(x)
    return mantissa, np.asarray(exponent, np.int32)


def _finite_scalar(x, *, nan, posinf, neginf):
    infinite = ir.select(x > 0, posinf, neginf)
    return ir.select(ir.isnan(x), nan, ir.select(ir.isinf(x), infinite, x))


@op(
    vjp={"x": lambda g, x: where(isfinite(x), g, 0.0)},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(_finite_scalar),
)
def nan_to_num(x, *, nan, posinf, neginf):
    """x with NaN and the infinities replaced by the given numbers."""
    if x.dtype.kind in "biu":
        return x.copy()
    if x.dtype.kind == "c":
        parts = np.stack([x.real, x.imag], -1)
        fixed = nan_to_num(parts, nan=nan, posinf=posinf, neginf=neginf)
        return np.ascontiguousarray(fixed).view(x.dtype)[..., 0]
    y = np.array(x)
    y[np.isnan(x)] = nan
    y[np.isinf(x) & (x > 0)] = posinf
    y[np.isinf(x) & (x < 0)] = neginf
    return y
