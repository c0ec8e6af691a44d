"""Activations, element by element. At a kink the derivative is the one PyTorch takes.

Half precision computes in float32 and rounds once.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .kernels import fast
from .layout import memory_order
from .schema import helper, op
from .shape import inverse_permutation

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_SQRT_HALF = 0.7071067811865476
_SQRT_2_PI = 0.7978845608028654  # sqrt(2 / pi)
_CUBE = 0.044715
_BLOCK = 1 << 15  # elements of a block whose temporaries fit the cache
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


def as_type_of(x, result):
    """The result in x's type."""
    return result if result.dtype == x.dtype else result.astype(x.dtype)


# ---- smooth --------------------------------------------------------------------------------------


@helper
def gelu_slope(x, approximate):
    """The derivative of gelu."""
    if approximate == "tanh":
        inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        t = tanh(inner)
        slope = 0.7978845608028654 * (1 + 0.134145 * x * x)
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope
    return ndtr(x) + x * (exp(-0.5 * x * x) * 0.3989422804014327)


def blockwise(function, result, *arrays):
    """function(block, *blocks) fills the result block by block: its temporaries stay in the cache.

    Measured on 1M floats, gelu's derivative: 5 ms, in whole-array steps 17 ms.
    """
    flat = [a.reshape(-1) for a in (result, *arrays)]
    if flat[0].size <= _BLOCK:
        function(*flat)
    else:
        for k in range(0, flat[0].size, _BLOCK):
            function(*(a[k : k + _BLOCK] for a in flat))
    return result


# exp(z * z) * erfc(z) / t as a polynomial in t = 1 / (1 + NORMAL_STEP * z), highest power first: a
# least squares fit on z in [0, 10] with a relative error below 2e-7, as float32 can hold. Machine
# code has it from here.
NORMAL_STEP = 0.44
NORMAL_TAIL = (
    0.0712253655109909, -0.27795595718167626, 0.29670118254141614, -0.02019324425886168,
    0.21581882389077225, 0.21731159158726746, 0.24887148499061046, 0.2482209346318423,
)  # fmt: skip
NO_TAIL = 100.0  # above it the probability is 0, also times infinity


def upper_tail(x):
    """(probability of a standard normal value above |x|, exp(-x * x / 2)), float32 or float64."""
    if x.dtype != np.float32:
        from scipy.special import ndtr

        return ndtr(-np.abs(x)), np.exp(-0.5 * x * x)
    z = np.abs(x)
    z *= _SQRT_HALF
    t = z * NORMAL_STEP
    t += 1
    np.reciprocal(t, out=t)
    z *= z
    np.negative(z, out=z)
    bell = np.exp(z, out=z)
    tail = t * NORMAL_TAIL[0]
    for c in NORMAL_TAIL[1:]:
        tail += c
        tail *= t
    tail *= bell
    tail *= 0.5
    return tail, bell


def gelu_block(out, x):
    """x * probability below x, into `out`: max(x, 0) - |x| * tail, exact in both tails."""
    tail, _ = upper_tail(x)
    tail *= np.minimum(np.abs(x), x.dtype.type(NO_TAIL))
    np.maximum(x, np.asarray(0, x.dtype), out=out)
    out -= tail


def gelu_gradient_block(out, g, x):
    """g * derivative of gelu, into `out`."""
    tail, bell = upper_tail(x)
    bell *= x
    bell *= 0.3989422804014327
    np.subtract(1, tail, out=tail, where=x >= 0)
    bell += tail
    np.multiply(g, bell, out=out)


def tanh_gelu_inner(x):
    """tanh of the approximation's polynomial."""
    inner = x * x
    inner *= _CUBE * _SQRT_2_PI
    inner += _SQRT_2_PI
    inner *= x
    return np.tanh(inner, out=inner)


def tanh_gelu_block(out, x):
    """The tanh approximation of gelu, into `out`."""
    inner = tanh_gelu_inner(x)
    inner += 1
    inner *= 0.5
    np.multiply(inner, x, out=out)


def tanh_gelu_gradient_block(out, g, x):
    """g * derivative of the tanh approximation, into `out`."""
    t = tanh_gelu_inner(x)
    slope = x * x
    slope *= 3 * _CUBE * _SQRT_2_PI
    slope += _SQRT_2_PI
    slope *= x
    slope *= 1 - t * t
    slope += t
    slope += 1
    slope *= 0.5
    np.multiply(g, slope, out=out)


def gelu_gradient(g, x, approximate):
    """g times the derivative of gelu."""
    kernel = fast.tanh_gelu_gradient if approximate == "tanh" else fast.gelu_gradient
    done = kernel(g, x)
    if done is not None:
        return done
    y, gy = floating(x, "GeluBackwardKernelImpl"), floating(g, "GeluBackwardKernelImpl")
    block = tanh_gelu_gradient_block if approximate == "tanh" else gelu_gradient_block
    return as_type_of(x, blockwise(block, np.empty(y.shape, y.dtype), gy, y))


def _gelu_scalar(x, *, approximate):
    if approximate == "tanh":
        return 0.5 * x * (1 + ir.tanh(_SQRT_2_PI * (x + _CUBE * x * x * x)))
    tail = ir.upper_tail(x, ir.exp(-0.5 * x * x))
    return ir.maximum(x, 0.0) - ir.minimum(ir.absolute(x), NO_TAIL) * tail


def _gelu_joint(gradient):
    """The rule on arrays; the function comes through a closure, as it speaks NumPy."""

    def joint(g, mask, x, approximate):
        return (gradient(g, x, approximate),)

    return joint


@op(
    joint=_gelu_joint(gelu_gradient),
    plain_joint=lambda g, mask, x, approximate: (g * gelu_slope(x, approximate),),
    jvp={"x": lambda t, x, approximate: t * gelu_slope(x, approximate)},
    broadcasts=True,
    lower=ir.pointwise(_gelu_scalar),
)
def gelu(x, *, approximate):
    """x times the probability that a standard normal value is below x."""
    if not x.flags.c_contiguous:
        order = memory_order(x)
        if (lying := x.transpose(order)).flags.c_contiguous:
            return gelu(lying, approximate=approximate).transpose(inverse_permutation(order))
    done = (fast.tanh_gelu if approximate == "tanh" else fast.gelu)(x)
    if done is not None:
        return done
    y = floating(x, "GeluKernelImpl")
    block = tanh_gelu_block if approximate == "tanh" else gelu_block
    return as_type_of(x, blockwise(block, np.empty(y.shape, y.dtype), y))


@helper
def silu_slope(x):
    """The derivative of silu."""
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


def _silu_gradient(g, x):
    """g times the derivative of silu."""
    done = fast.silu_gradient(g, x)
    if done is not None:
        return done
    s = np.reciprocal(1 + np.exp(-x))
    return g * (s * (1 + x * (1 - s)))


@op(
    partials={"x": lambda x: silu_slope(x)},
    arrays={"x": _silu_gradient},
    lower=ir.pointwise(lambda x: x * ir.sigmoid(x)),
)
def silu(x):
    """x * sigmoid(x)."""
    done = fast.silu(x)
    if done is not None:
        return done
    if x.dtype.kind == "c":
        return x / (1 + np.exp(-x))
    y = floating(x, "silu_cpu")
    e = np.asarray(np.exp(-y))  # infinite for very negative x, where y / e is then 0
    e += 1
    return as_type_of(x, np.divide(y, e))


@helper
def mish_slope(x):
    """The derivative of mish."""
    t = tanh(softplus(x, beta=1.0, threshold=20.0))
    return t + x * sigmoid(x) * (1 - t * t)


@op(
    partials={"x": lambda x: mish_slope(x)},
    lower=ir.pointwise(
        lambda x: x * ir.tanh(ir.maximum(x, 0.0) + ir.log1p(ir.exp(-ir.absolute(x))))
    ),
)
def mish(x):
    """x * tanh(softplus(x))."""
    y = floating(x, "mish_cpu")
    return as_type_of(x, y * np.tanh(np.logaddexp(y, np.asarray(0, y.dtype))))


@op(
    partials={"x": lambda x, beta, threshold: where(x * beta > threshold, 1.0, sigmoid(x * beta))},
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
    y = floating(x, "softplus_cpu")
    scaled = y * beta
    soft = (np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled)))) / beta
    return as_type_of(x, np.where(scaled > threshold, y, soft))


@op(
    partials={"x": lambda x: sigmoid(-x)},
    node="LogSigmoidBackward0",
    lower=ir.pointwise(lambda x: ir.minimum(x, 0.0) - ir.log1p(ir.exp(-ir.absolute(x)))),
)
def logsigmoid(x):
    """log(sigmoid(x)) without overflow."""
    y = floating(x, "log_sigmoid_cpu")
    return as_type_of(x, np.minimum(y, np.asarray(0, y.dtype)) - np.log1p(np.exp(-np.abs(y))))


# ---- with a kink ---------------------------------------------------------------------------------


@helper
def below_zero(x):
    """x where it is negative or NaN, else 0: at 0 itself nothing moves with x."""
    return where(x >= 0, 0.0, x)


def _elu_gradient(g, x, alpha, scale, rate):
    """g times the derivative of elu."""
    done = fast.elu_gradient(g, x, alpha * scale, scale, rate)
    if done is not None:
        return done
    low = np.exp(np.minimum(x, np.asarray(0, x.dtype)) * rate) * (alpha * scale * rate)
    return g * np.where(x > 0, np.asarray(scale, x.dtype), low)


def _leaky_relu_gradient(g, x, slope):
    """g where x is positive, else slope * g."""
    done = fast.leaky_relu_gradient(g, x, slope)
    return np.where(x > 0, g, g * slope) if done is None else done


def _hardtanh_gradient(g, x, low, high):
    """g where x lies between the limits, else 0."""
    done = fast.clamped_gradient(g, x, low, high)
    return np.where((x > low) & (x < high), g, np.asarray(0, g.dtype)) if done is None else done


@op(
    partials={
        "x": lambda x, alpha, scale, rate: where(
            x > 0, scale, (alpha * scale * rate) * exp(below_zero(x) * rate)
        )
    },
    arrays={"x": _elu_gradient},
    lower=ir.pointwise(
        lambda x, *, alpha, scale, rate: ir.select(
            x <= 0, alpha * scale * ir.expm1(x * rate), x * scale
        )
    ),
)
def elu(x, *, alpha, scale, rate):
    """scale * x where positive, else scale * alpha * (exp(rate * x) - 1)."""
    done = fast.elu(x, alpha * scale, scale, rate)
    if done is not None:
        return done
    y = floating(x, "elu_cpu")
    low = np.expm1(np.minimum(y, np.asarray(0, y.dtype)) * rate) * (alpha * scale)
    return as_type_of(x, np.where(y <= 0, low, y * scale))


@op(
    partials={"x": lambda x, alpha: where(x > 0, 1.0, exp(below_zero(x) / alpha))},
    lower=ir.pointwise(
        lambda x, *, alpha: ir.select(x <= 0, alpha * ir.expm1(x / alpha), x)
    ),
)  # fmt: skip
def celu(x, *, alpha):
    """x where positive, else alpha * (exp(x / alpha) - 1)."""
    y = floating(x, "elu_cpu")
    low = np.expm1(np.minimum(y, np.asarray(0, y.dtype)) / alpha) * alpha
    return as_type_of(x, np.where(y <= 0, low, y))


@op(
    vjp={"x": lambda g, x, slope: where(x > 0, g, g * slope)},
    arrays={"x": _leaky_relu_gradient},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x, *, slope: ir.select(x > 0, x, x * slope)),
    flat=("x",),
)
def leaky_relu(x, *, slope):
    """x where positive, else slope * x."""
    done = fast.leaky_relu(x, slope)
    if done is not None:
        return done
    y = floating(x, "leaky_relu_cpu")
    return as_type_of(x, np.where(y > 0, y, y * slope))


@op(
    vjp={"x": lambda g, x, low, high: where((x > low) & (x < high), g, 0.0)},
    arrays={"x": _hardtanh_gradient},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x, *, low, high: ir.clamp(x, low, high)),
    flat=("x",),
)
def hardtanh(x, *, low, high):
    """x limited to [low, high]; at the limits the gradient is 0."""
    done = fast.clamped(x, low, high)
    if done is not None:
        return done
    return np.minimum(np.maximum(x, np.asarray(low, x.dtype)), np.asarray(high, x.dtype))


@op(
    vjp={"x": lambda g, x: where((x > -3) & (x < 3), g / 6, 0.0)},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x: ir.clamp(x + 3, 0.0, 6.0) / 6),
)
def hardsigmoid(x):
    """clamp(x + 3, 0, 6) / 6."""
    y = floating(x, "hardsigmoid_cpu")
    return as_type_of(x, np.minimum(np.maximum(y + 3, np.asarray(0, y.dtype)), 6) / 6)


@op(
    vjp={"x": lambda g, x: where(x >= 3, g, where(x <= -3, 0.0, g * (x / 3 + 0.5)))},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x: x * ir.clamp(x + 3, 0.0, 6.0) / 6),
)
def hardswish(x):
    """x * clamp(x + 3, 0, 6) / 6."""
    y = floating(x, "hardswish_cpu")
    return as_type_of(x, y * np.minimum(np.maximum(y + 3, np.asarray(0, y.dtype)), 6) / 6)


@op(
    vjp={"x": lambda g, x, limit: where((x > limit) | (x < -limit), g, 0.0)},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(
        lambda x, *, limit: ir.select((x >= -limit) & (x <= limit), 0.0, x)
    ),
    flat=("x",),
)  # fmt: skip
def hardshrink(x, *, limit):
    """0 within [-limit, limit], x elsewhere."""
    y = floating(x, "hardshrink_cpu")
    return as_type_of(x, np.where((y >= -limit) & (y <= limit), np.asarray(0, y.dtype), y))


def _softshrink_scalar(x, *, limit):
    moved = ir.select(x > limit, x - limit, x + limit)
    return ir.select((x >= -limit) & (x <= limit), 0.0, moved)


@op(
    vjp={"x": lambda g, x, limit: where((x > limit) | (x < -limit), g, 0.0)},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(_softshrink_scalar),
    flat=("x",),
)
def softshrink(x, *, limit):
    """x moved towards 0 by limit, 0 within it."""
    y = floating(x, "softshrink_check")
    moved = np.where(y > limit, y - limit, y + limit)
    return as_type_of(x, np.where((y >= -limit) & (y <= limit), np.asarray(0, y.dtype), moved))


@op(
    vjp={"x": lambda g, x, limit: where(x <= limit, 0.0, g)},
    jvp="same",
    broadcasts=True,
    lower=ir.pointwise(lambda x, *, limit, value: ir.select(x <= limit, value, x)),
    flat=("x",),
)
def threshold(x, *, limit, value):
    """x where above limit, else value."""
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
