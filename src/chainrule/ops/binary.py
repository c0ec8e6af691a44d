"""Functions of two or three arrays that broadcast: arithmetic, powers, angles, lengths."""

from __future__ import annotations

import cmath
import math

import numpy as np

from .. import ir
from .halves import is_half
from .kernels import fast
from .schema import Refused, helper, op
from .unary import inverted

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_THREADED = 1 << 15  # elements from which a second thread is worth asking

# ---- sums and products -------------------------------------------------------------------------


@op(vjp={"a": lambda g: g, "b": lambda g: g}, linear_in="all", broadcasts=True, lower=ir.add)
def add(a, b):
    """The sum a + b."""
    if a.__class__ is np.ndarray and a.size >= _THREADED:
        shape = getattr(b, "shape", None)
        done = None
        if shape == a.shape:
            done = fast.add_arrays(a, b)
        elif shape == a.shape[-1:]:
            done = fast.add_to_rows(a, b)
        if done is not None:
            return done
    return np.add(a, b)


@op(
    vjp={"a": lambda g: g, "b": lambda g: -g},
    linear_in="all",
    broadcasts=True,
    refuses={
        "b": "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
        "or `logical_xor()` operator instead."
    },
    refuses_operands={
        "b": "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
        "inverting a mask, `~mask` does that."
    },
    lower=ir.sub,
)
def sub(a, b):
    """The difference a - b."""
    return np.subtract(a, b)


@op(
    partials={"a": lambda b: b, "b": lambda a: a},
    numbers="wide",
    frees_numbers=True,
    lower=ir.mul,
    public={"aliases": ("multiply",)},
)
def mul(a, b):
    """The product a * b."""
    return np.multiply(a, b)


@op(
    partials={
        "a": lambda w: 1 - w,
        "b": lambda w: w,
        "w": lambda a, b: b - a,
    },
    refuses={"biu": ""},
    numbers="wide",
    lower=ir.pointwise(
        lambda a, b, w: ir.select(abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))
    ),
)
def lerp(a, b, w):
    """a + w (b - a): the point the share w of the way from a to b, exact at both ends."""
    way = b - a
    if w.__class__ is float or w.__class__ is int:
        return a + w * way if -0.5 < w < 0.5 else b - way * (1 - w)
    return np.where(np.absolute(w) < 0.5, a + w * way, b - way * (1 - w))


# ---- powers ------------------------------------------------------------------------------------


def _base_gradient(g, a, b):
    if b.__class__ is not int and b.__class__ is not float:
        return np.where(b == 0, 0.0, g * (b * pow(a, b - 1)))
    if b != 2:
        return g * (b * pow(a, b - 1)) if b != 0 else np.zeros_like(a)
    r = g * a
    return r + r


@op(
    partials={
        "a": lambda a, b: base_slope(a, b),
        "b": lambda a, b, out: where((a == 0) & (b_real(b) >= 0), 0.0, out * log_base(a)),
    },
    # A slope of 0 beside an infinite gradient is no product: what is flat passes nothing on.
    vjp={
        "a": lambda g, a, b: along_base(g, a, b, conj_if),
        "b": lambda g, a, b, out: where(
            (a == 0) & (b_real(b) >= 0), 0.0, g * conj_if(out * log_base(a))
        ),
    },
    jvp={
        "a": lambda t, a, b: along_base(t, a, b, itself),
        "b": lambda t, a, b, out: where((a == 0) & (b_real(b) >= 0), 0.0, t * (out * log_base(a))),
    },
    arrays={"a": _base_gradient},
    in_range=("b",),
    numbers="wide",  # for the gradient
    halves="own",
    lower=ir.power,
    public={"numbers": "some"},
)
def pow(a, b):  # noqa: A001 - the op's public name
    """a to the power b."""
    number = b.__class__ is int or b.__class__ is float
    dtype = (a if number or hasattr(a, "dtype") else b).dtype
    if dtype.itemsize == 2 and is_half(dtype):
        return pow(_held(a, dtype), _held_exponent(b, dtype)).astype(dtype)
    if number:
        if b == 2:
            return np.square(a)
        if a.dtype.kind not in "biu":
            return _float_to_number(a, b)
        if b < 0:
            raise Refused(
                RuntimeError,
                f"Integers to negative integer powers are not allowed. The exponent is {b} and the "
                f"base is {a.dtype.name}; convert the base with .float() first.",
            )
        return np.power(a, b, dtype=a.dtype)
    kind = (b if hasattr(b, "dtype") else a).dtype.kind
    if kind == "b" and dtype.kind == "b" and b.ndim:
        raise Refused(
            NotImplementedError,
            "\"pow\" not implemented for 'Bool': powers of truth values.\n"
            "  Fix: write a | ~b, which they would be, or convert them first, e.g. x.int().",
        )
    return _int_power(a, b) if kind in "biu" else np.power(a, b)


def _held(value, half):
    """A base or exponent in float32 as half precision holds it, for PyTorch rounds both."""
    if hasattr(value, "dtype"):
        return value.astype(half).astype(np.float32)
    return float(np.asarray(value).astype(half))


def _held_exponent(value, half):
    """The same; a number that is too large is refused."""
    held = _held(value, half)
    if held.__class__ is float and math.isinf(held) and not math.isinf(value):
        word = "c10::Half" if half.kind == "f" else "c10::BFloat16"
        raise Refused(
            RuntimeError,
            f"value cannot be converted to type {word} without overflow: the exponent {value} is "
            "beyond its largest number; convert the base with .float() first.",
        )
    return held


def _float_to_number(a, b):
    """The exponents that have a cheaper way than np.power, which PyTorch takes as well."""
    if b == 1:
        return np.positive(a)
    if b == 0.5:
        return np.sqrt(a)
    if b == 3:
        return np.square(a) * a
    if b == -1:
        return inverted(a)
    if b == -0.5:
        return inverted(np.sqrt(a))
    return np.power(a, b)


def _int_power(a, b):
    """Integer powers; a negative exponent gives the truncated 1 / a**-b."""
    dtype = (b if hasattr(b, "dtype") else a).dtype
    if dtype.kind == "b":
        return np.asarray(a) | ~np.asarray(b)
    if dtype.kind == "u" or not np.any(np.less(b, 0)):
        return np.power(a, b, dtype=dtype)
    unit = np.where(np.equal(a, 1), 1, np.where(np.equal(a, -1), 1 - 2 * np.remainder(b, 2), 0))
    return np.where(np.less(b, 0), unit, np.power(a, np.maximum(b, 0))).astype(dtype)


@helper
def base_slope(a, b):
    """d/da a**b, which is 0 for b = 0 whatever a is."""
    if not hasattr(b, "shape"):
        return b * pow(a, b - 1) if b != 0 else zeroed(a)
    return where(b == 0, 0.0, b * pow(a, b - 1))


@helper
def itself(x):
    """x: the slope of a tangent is not conjugated."""
    return x


@helper
def along_base(g, a, b, turned):
    """What passes through a**b to its base: nothing where b is 0, whatever g is."""
    if not hasattr(b, "shape"):
        return g * turned(b * pow(a, b - 1)) if b != 0 else zeroed(g)
    return where(b == 0, 0.0, g * turned(b * pow(a, b - 1)))


@helper
def b_real(b):
    """The real part of an exponent, which may be a number."""
    return b.real


def _log_of_number(value):
    if isinstance(value, complex):
        return cmath.log(value) if value else complex(-math.inf, 0.0)
    return math.log(value) if value > 0 else (-math.inf if value == 0 else math.nan)


@helper
def log_base(a, _number=_log_of_number):
    """log(a); of a Python number in full precision, whatever the tensors' type."""
    return log(a) if hasattr(a, "shape") else _number(a)


@op(
    vjp={
        "a": lambda g, a, b: where((a == 0) & (b <= 0), 0.0, g * log_base(b)),
        "b": lambda g, a, b: g * (a / b),
    },
    jvp="same",
    broadcasts=True,
    promote="float",
    refuses={"c": ""},
    lower=ir.pointwise(lambda a, b: ir.select((a == 0) & ~ir.isnan(b), 0.0, a * ir.log(b))),
    public={"aliases": ("special.xlogy",), "numbers": "some"},
)
def xlogy(a, b):
    """a log(b), and 0 where a is 0 (unless b is NaN)."""
    product = np.multiply(a, np.log(_float_like(b, a)))
    return np.where(np.equal(a, 0) & ~np.isnan(b), np.zeros((), product.dtype), product)


def _float_like(value, other):
    """A Python number in the type of the array it is combined with."""
    return value if hasattr(value, "dtype") else np.asarray(value, other.dtype)


# ---- angles, lengths, logarithms of sums -------------------------------------------------------


@op(
    partials={
        "a": lambda a, b: b * atan2_scale(a, b),
        "b": lambda a, b: -a * atan2_scale(a, b),
    },
    promote="float",
    refuses={"c": ""},
    lower=ir.atan2,
    public={"aliases": ("arctan2",), "numbers": "none"},
)
def atan2(a, b):
    """The angle of the point (b, a)."""
    return np.arctan2(a, b)


@helper
def atan2_scale(a, b):
    """1 / (a^2 + b^2), and 0 at the origin, where no angle is defined."""
    r = a * a + b * b
    return where(r == 0, 0.0, 1 / r)


@op(partials={"a": lambda a, out: a / out, "b": lambda b, out: b / out}, refuses={"biuc": ""},
    lower=ir.hypot, public={"numbers": "none"})  # fmt: skip
def hypot(a, b):
    """The length of the hypotenuse, sqrt(a^2 + b^2), without overflow."""
    return np.hypot(a, b)


@op(
    vjp={"a": lambda g, a, out: where(a == 0, 0.0, g * (out / a)), "b": lambda g: zeroed(g)},
    jvp="same",
    broadcasts=True,
    promote="float",
    refuses={"c": ""},
    lower=ir.copysign,
    public={"numbers": "other"},
)
def copysign(a, b):
    """The magnitude of a with the sign of b."""
    return np.copysign(a, b)


def _log_sum_scalar(a, b):
    more = ir.log1p(ir.exp(-ir.absolute(a - b)))
    return ir.select(a == b, a + 0.6931471805599453, ir.maximum(a, b) + more)


def _log2_sum_scalar(a, b):
    more = ir.log1p(ir.exp2(-ir.absolute(a - b))) * 1.4426950408889634
    return ir.select(a == b, a + 1.0, ir.maximum(a, b) + more)


@op(
    partials={"a": lambda a, b: sigmoid(a - b), "b": lambda a, b: sigmoid(b - a)},
    refuses={"biu": ""},
    lower=ir.pointwise(_log_sum_scalar),
    public={"inplace": False, "numbers": "none"},
)
def logaddexp(a, b):
    """log(exp(a) + exp(b)), without overflow."""
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        high, low = np.where(a.real >= b.real, a, b), np.where(a.real >= b.real, b, a)
        return high + np.log1p(np.exp(low - high))
    return np.logaddexp(a, b)


@op(
    partials={
        "a": lambda a, b: sigmoid((a - b) * 0.6931471805599453),
        "b": lambda a, b: sigmoid((b - a) * 0.6931471805599453),
    },
    refuses={"biuc": ""},
    lower=ir.pointwise(_log2_sum_scalar),
    public={"inplace": False, "numbers": "none"},
)
def logaddexp2(a, b):
    """log2(2**a + 2**b), without overflow."""
    return np.logaddexp2(a, b)


@op(
    vjp={"a": lambda g, a, b: where(a == b, 0.0, g), "b": lambda g: zeroed(g)},
    jvp="same",
    broadcasts=True,
    halves="own",
    refuses={"biuc": ""},
    lower=ir.nextafter,
    public={"numbers": "none"},
)
def nextafter(a, b):
    """The neighbour of a in its type, in the direction of b."""
    return np.nextafter(a, b)


# ---- integers ----------------------------------------------------------------------------------


@op(nondiff=("a", "b"), broadcasts=True, refuses={"fVcb": ""}, public={"numbers": "none"})
def gcd(a, b):
    """The greatest common divisor."""
    return np.gcd(a, b)


@op(nondiff=("a", "b"), broadcasts=True, refuses={"fVcb": ""}, public={"numbers": "none"})
def lcm(a, b):
    """The least common multiple."""
    return np.lcm(a, b)
