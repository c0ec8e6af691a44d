"""Activations, element by element. At a kink the derivative is the one PyTorch takes.

Half precision computes in float32 and rounds once.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .formulas import Formula
from .kernels import fast
from .layout import memory_order
from .schema import helper, op
from .shape import inverse_permutation

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_SQRT_2_PI = 0.7978845608028654  # sqrt(2 / pi)
_CUBE = 0.044715
_TYPE_WORDS = {
    "i": {1: "Char", 2: "Short", 4: "Int", 8: "Long"},
    "u": {1: "Byte"},
    "b": {1: "Bool"},
}


def floating(x, kernel):
    """x ready for a float kernel: half precision widened, other than floats refused."""
    if x.dtype.kind == "f":
        return x if x.dtype.itemsize > 2 else x.astype(np.float32)
    if x.dtype.kind == "V":
        return x.astype(np.float32)
    word = _TYPE_WORDS.get(x.dtype.kind, {}).get(x.dtype.itemsize, x.dtype.name)
    raise NotImplementedError(
        f"\"{kernel}\" not implemented for '{word}': this function needs floating-point values.\n"
        "  Fix: convert the tensor first, e.g. x.float()."
    )


def by_numpy(formula, kernel, x, *numbers):
    """A formula's values; other types than floats are refused in the name of PyTorch's kernel."""
    if x.dtype.kind not in "fV":
        floating(x, kernel)
    return formula.by_numpy(x, *numbers)


def as_type_of(x, result):
    """The result in x's type."""
    return result if result.dtype == x.dtype else result.astype(x.dtype)


# ---- smooth --------------------------------------------------------------------------------------


@helper
def gelu_slope(x, approximate):
    """The derivative of gelu."""
    if approximate == "tanh":
        t = tanh(x * (0.7978845608028654 + 0.035677408136300125 * x * x))
        slope = x * (0.7978845608028654 + 0.10703222440890037 * x * x)
        return 0.5 * ((1 + t) + slope * (1 - t * t))
    return ndtr(x) + x * exp(x * x * -0.5) * 0.3989422804014327


def _gelu_scalar(x, *, approximate):
    if approximate == "tanh":
        return 0.5 * x * (1 + ir.tanh(x * (_SQRT_2_PI + _CUBE * _SQRT_2_PI * x * x)))
    # Exact in both tails; an infinite x has none.
    tail = ir.upper_tail(x, ir.exp(x * x * -0.5))
    return ir.maximum(x, 0.0) - ir.minimum(ir.absolute(x), 100.0) * tail


_GELU = {how: Formula("gelu", "forward", approximate=how) for how in ("none", "tanh")}
_GELU_GRADIENT = {how: Formula("gelu", "gradient", approximate=how) for how in ("none", "tanh")}


def _gelu_gradient(g, x, approximate):
    done = (fast.tanh_gelu_gradient if approximate == "tanh" else fast.gelu_gradient)(g, x)
    return _GELU_GRADIENT[approximate].by_numpy(g, x) if done is None else done


def _gelu_joint(gradient):
    """The rule on arrays; the function comes through a closure, as it speaks NumPy."""

    def joint(g, mask, x, approximate):
        return (gradient(g, x, approximate),)

    return joint


@op(
    partials={"x": lambda x, approximate: gelu_slope(x, approximate)},
    # One step of a trace: the rule in ops would load SciPy for `ndtr` in the middle of it.
    joint=_gelu_joint(_gelu_gradient),
    plain_joint=lambda g, mask, x, approximate: (g * gelu_slope(x, approximate),),
    lower=ir.pointwise(_gelu_scalar),
)
def gelu(x, *, approximate):
    """x times the probability that a standard normal value is below x."""
    if not x.flags.c_contiguous:
        order = memory_order(x)
        if (lying := x.transpose(order)).flags.c_contiguous:
            return gelu(lying, approximate=approximate).transpose(inverse_permutation(order))
    done = (fast.tanh_gelu if approximate == "tanh" else fast.gelu)(x)
    return by_numpy(_GELU[approximate], "GeluKernelImpl", x) if done is None else done


@helper
def silu_slope(x):
    """The derivative of silu."""
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


_SILU = Formula("silu", "forward")


@op(
    partials={"x": lambda x: silu_slope(x)},
    arrays={"x": Formula("silu", "gradient")},
    # A huge negative x gives -0; -inf gives NaN.
    lower=ir.pointwise(lambda x: x / (1 + ir.exp(-x))),
)
def silu(x):
    """x * sigmoid(x)."""
    done = fast.silu(x)
    if done is not None:
        return done
    return x / (1 + np.exp(-x)) if x.dtype.kind == "c" else by_numpy(_SILU, "silu_cpu", x)


@helper
def mish_slope(x):
    """The derivative of mish."""
    t = tanh(softplus(x, beta=1.0, threshold=20.0))
    return t + x * sigmoid(x) * (1 - t * t)


_MISH = Formula("mish", "forward")


@op(
    partials={"x": lambda x: mish_slope(x)},
    lower=ir.pointwise(
        lambda x: x * ir.tanh(ir.maximum(x, 0.0) + ir.log1p(ir.exp(-ir.absolute(x))))
    ),
)
def mish(x):
    """x * tanh(softplus(x))."""
    done = fast.mish(x)
    return by_numpy(_MISH, "mish_cpu", x) if done is None else done


_SOFTPLUS, _LOGSIGMOID = Formula("softplus", "forward"), Formula("logsigmoid", "forward")


@op(
    partials={"x": lambda x, beta, threshold: where(x * beta > threshold, 1.0, sigmoid(x * beta))},
    arrays={"x": Formula("softplus", "gradient")},
    lower=ir.pointwise(
        lambda x, *, beta, threshold: ir.select(
            x * beta > threshold,
            x,
            (ir.maximum(x * beta, 0.0) + ir.log1p(ir.exp(-ir.absolute(x * beta)))) / beta,
        )
    ),
)
def softplus(x, *, beta, threshold):
    """log(1 + exp(beta x)) / beta, and x itself where beta x is above the threshold."""
    done = fast.softplus(x, beta, threshold)
    return by_numpy(_SOFTPLUS, "softplus_cpu", x, beta, threshold) if done is None else done


@op(
    partials={"x": lambda x: sigmoid(-x)},
    arrays={"x": Formula("logsigmoid", "gradient")},
    node="LogSigmoidBackward0",
    lower=ir.pointwise(lambda x: ir.minimum(x, 0.0) - ir.log1p(ir.exp(-ir.absolute(x)))),
)
def logsigmoid(x):
    """log(sigmoid(x)) without overflow."""
    done = fast.logsigmoid(x)
    return by_numpy(_LOGSIGMOID, "log_sigmoid_cpu", x) if done is None else done


# ---- with a kink ---------------------------------------------------------------------------------


@helper
def below_zero(x):
    """x where it is negative or NaN, else 0: at 0 itself nothing moves with x."""
    return where(x >= 0, 0.0, x)


_ELU, _LEAKY_RELU = Formula("elu", "forward"), Formula("leaky_relu", "forward")
Formula("hardtanh", "forward")


def _hardtanh_scalar(x, *, low, high):
    if any(limit != limit for limit in (low, high) if isinstance(limit, float)):
        return ir.clamp(x, low, high)
    x = ir.select(x < low, low, x)  # an instruction less than a maximum that minds NaN limits
    return ir.select(x > high, high, x)


@op(
    partials={
        "x": lambda x, alpha, scale, rate: where(
            x > 0, scale, (alpha * scale * rate) * exp(below_zero(x) * rate)
        )
    },
    arrays={"x": Formula("elu", "gradient")},
    lower=ir.pointwise(
        lambda x, *, alpha, scale, rate: ir.select(
            x <= 0, alpha * scale * ir.expm1(x * rate), x * scale
        )
    ),
)
def elu(x, *, alpha, scale, rate):
    """scale * x where positive, else scale * alpha * (exp(rate * x) - 1)."""
    done = fast.elu(x, alpha, scale, rate)
    return by_numpy(_ELU, "elu_cpu", x, alpha, scale, rate) if done is None else done


_CELU = Formula("celu", "forward")


@op(
    partials={"x": lambda x, alpha: where(x > 0, 1.0, exp(below_zero(x) / alpha))},
    arrays={"x": Formula("celu", "gradient")},
    lower=ir.pointwise(
        lambda x, *, alpha: ir.select(x <= 0, alpha * ir.expm1(x / alpha), x)
    ),
)  # fmt: skip
def celu(x, *, alpha):
    """x where positive, else alpha * (exp(x / alpha) - 1)."""
    done = fast.celu(x, alpha)
    return by_numpy(_CELU, "elu_cpu", x, alpha) if done is None else done


@op(
    vjp={"x": lambda g, x, slope: where(x > 0, g, g * slope)},
    arrays={"x": Formula("leaky_relu", "gradient")},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x, *, slope: ir.select(x > 0, x, x * slope)),
    flat=("x",),
)
def leaky_relu(x, *, slope):
    """x where positive, else slope * x."""
    done = fast.leaky_relu(x, slope)
    return by_numpy(_LEAKY_RELU, "leaky_relu_cpu", x, slope) if done is None else done


@op(
    vjp={"x": lambda g, x, low, high: where((x > low) & (x < high), g, 0.0)},
    arrays={"x": Formula("hardtanh", "gradient")},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(_hardtanh_scalar),
    flat=("x",),
)
def hardtanh(x, *, low, high):
    """x limited to [low, high]; at the limits the gradient is 0."""
    if low == low and high == high:  # with NaN for a limit all is NaN
        done = fast.hardtanh(x, low, high)
        if done is not None:
            return done
    return np.minimum(np.maximum(x, np.asarray(low, x.dtype)), np.asarray(high, x.dtype))


_HARDSIGMOID, _HARDSWISH = Formula("hardsigmoid", "forward"), Formula("hardswish", "forward")


@op(
    vjp={"x": lambda g, x: where((x > -3) & (x < 3), g / 6, 0.0)},
    arrays={"x": Formula("hardsigmoid", "gradient")},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x: ir.clamp(x + 3, 0.0, 6.0) / 6),
)
def hardsigmoid(x):
    """clamp(x + 3, 0, 6) / 6."""
    done = fast.hardsigmoid(x)
    return by_numpy(_HARDSIGMOID, "hardsigmoid_cpu", x) if done is None else done


@op(
    vjp={"x": lambda g, x: where(x >= 3, g, where(x <= -3, 0.0, g * (x / 3 + 0.5)))},
    arrays={"x": Formula("hardswish", "gradient")},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x: x * ir.clamp(x + 3, 0.0, 6.0) / 6),
)
def hardswish(x):
    """x * clamp(x + 3, 0, 6) / 6."""
    done = fast.hardswish(x)
    return by_numpy(_HARDSWISH, "hardswish_cpu", x) if done is None else done


_HARDSHRINK, _SOFTSHRINK = Formula("hardshrink", "forward"), Formula("softshrink", "forward")


@op(
    vjp={"x": lambda g, x, limit: where((x > limit) | (x < -limit), g, 0.0)},
    arrays={"x": Formula("hardshrink", "gradient")},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(
        lambda x, *, limit: ir.select((x >= -limit) & (x <= limit), 0.0, x)
    ),
    flat=("x",),
)  # fmt: skip
def hardshrink(x, *, limit):
    """0 within [-limit, limit], x elsewhere."""
    done = fast.hardshrink(x, limit)
    return by_numpy(_HARDSHRINK, "hardshrink_cpu", x, limit) if done is None else done


def _softshrink_scalar(x, *, limit):
    moved = ir.select(x > limit, x - limit, x + limit)
    return ir.select((x >= -limit) & (x <= limit), 0.0, moved)


@op(
    vjp={"x": lambda g, x, limit: where((x > limit) | (x < -limit), g, 0.0)},
    arrays={"x": Formula("softshrink", "gradient")},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(_softshrink_scalar),
    flat=("x",),
)
def softshrink(x, *, limit):
    """x moved towards 0 by limit, 0 within it."""
    done = fast.softshrink(x, limit)
    return by_numpy(_SOFTSHRINK, "softshrink_check", x, limit) if done is None else done


Formula("threshold", "forward")


@op(
    vjp={"x": lambda g, x, limit: where(x <= limit, 0.0, g)},
    arrays={"x": Formula("threshold", "gradient")},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x, *, limit, value: ir.select(x <= limit, value, x)),
    flat=("x",),
)
def threshold(x, *, limit, value):
    """x where above limit, else value."""
    done = fast.threshold(x, limit, value)
    if done is not None:
        return done
    if x.dtype.kind in "iu":  # numbers wrap to the tensor's type
        limit, value = int(limit), int(value)
    edge, low = np.asarray(limit).astype(x.dtype), np.asarray(value).astype(x.dtype)
    return np.where(x <= edge, low, x)


@op(
    vjp={
        "x": lambda g, x, w: where(x > 0, g, g * w),
        "w": lambda g, x: where(x > 0, 0.0, g * x),
    },
    jvp="same",
    broadcasts=True,
    node="PreluKernelBackward0",
    lower=ir.pointwise(lambda x, w: ir.select(x > 0, x, x * w)),
    flat=("x", "w"),
)
def prelu(x, w):
    """x where positive, else w * x."""
    y = floating(x, "prelu_cpu")
    return as_type_of(x, np.where(y > 0, y, y * w.astype(y.dtype, copy=False)))
