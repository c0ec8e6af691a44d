"""Smooth activations, forward and backward."""

from __future__ import annotations

from ....ops.activation import NO_TAIL, NORMAL_STEP, NORMAL_TAIL
from ..language.words import (
    T,
    exp,
    horner,
    inlined,
    maximum,
    minimum,
    native,
    shared,
    sigmoid,
    tanh,
)

_SQRT_HALF = 0.7071067811865476
_SQRT_2_PI = 0.7978845608028654  # sqrt(2 / pi)
_CUBE = 0.044715
_BELL = 0.3989422804014327  # 1 / sqrt(2 pi)


@inlined
def upper_tail(x, bell):
    """The probability of a standard normal value above |x|, given exp(-x * x / 2)."""
    t = 1.0 / (1.0 + abs(x) * (_SQRT_HALF * NORMAL_STEP))
    return horner(t, NORMAL_TAIL) * t * bell * 0.5


@native("f32 x[*n], out f32 y[like x]")
def gelu(x, y, n):
    """x times the probability below x: max(x, 0) - |x| * tail, exact in both tails."""
    for i in shared(n):
        v = x[i]
        tail = upper_tail(v, exp(v * v * -0.5))
        y[i] = maximum(v, 0.0) - minimum(abs(v), NO_TAIL) * tail


@native("f32 g[*n], f32 x[*n], out f32 gx[like x]")
def gelu_gradient(g, x, gx, n):
    """g times the derivative of gelu."""
    for i in shared(n):
        v = x[i]
        bell = exp(v * v * -0.5)
        tail = upper_tail(v, bell)
        below = 1.0 - tail if v >= 0.0 else tail
        gx[i] = g[i] * (below + v * bell * _BELL)


@inlined
def gelu_inner(x):
    """tanh of the approximation's polynomial."""
    return tanh(x * (_SQRT_2_PI + (_CUBE * _SQRT_2_PI) * x * x))


@native("T x[*n], out T y[like x]")
def tanh_gelu(x, y, n):
    """The tanh approximation of gelu."""
    for i in shared(n):
        y[i] = 0.5 * x[i] * (1.0 + gelu_inner(x[i]))


@native("T g[*n], T x[*n], out T gx[like x]")
def tanh_gelu_gradient(g, x, gx, n):
    """g times the derivative of the tanh approximation."""
    for i in shared(n):
        v = x[i]
        t = gelu_inner(v)
        slope = v * (_SQRT_2_PI + (3.0 * _CUBE * _SQRT_2_PI) * v * v)
        gx[i] = g[i] * 0.5 * ((1.0 + t) + slope * (1.0 - t * t))


@native("T x[*n], out T y[like x]")
def silu(x, y, n):
    """x * sigmoid(x)."""
    for i in shared(n):
        # A huge negative x gives -0, as x / (1 + exp(-x)) does; -inf gives NaN there and here.
        y[i] = x[i] / (1.0 + exp(-x[i]))


@native("T g[*n], T x[*n], out T gx[like x]")
def silu_gradient(g, x, gx, n):
    """g times the derivative of silu."""
    for i in shared(n):
        s = sigmoid(x[i])
        gx[i] = g[i] * (s * (1.0 + x[i] * (1.0 - s)))


@native("T x[*n], out T y[like x]")
def sigmoid_forward(x, y, n):
    """1 / (1 + exp(-x))."""
    for i in shared(n):
        y[i] = 1.0 / (1.0 + exp(-x[i]))


@native("T g[*n], T y[*n], out T gx[like y]")
def sigmoid_gradient(g, y, gx, n):
    """g times the derivative of sigmoid, whose result y is."""
    for i in shared(n):
        gx[i] = g[i] * (y[i] * (T(1.0) - y[i]))


@native("T g[*n], T y[*n], out T gx[like y]")
def tanh_gradient(g, y, gx, n):
    """g times the derivative of tanh, whose result y is."""
    for i in shared(n):
        gx[i] = g[i] * (T(1.0) - y[i] * y[i])
