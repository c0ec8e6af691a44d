"""The rectifier and others with a kink, forward and backward."""

from __future__ import annotations

from ..language.words import T, exp, expm1, minimum, native, shared


@native("T x[*n], out T y[like x]")
def relu(x, y, n):
    """x where positive, else 0; NaN stays."""
    for i in shared(n):
        y[i] = T(0.0) if x[i] <= T(0.0) else x[i]


@native("T g[*n], T y[*n], out T gx[like g]")
def relu_gradient(g, y, gx, n):
    """g where the rectified y is not 0."""
    for i in shared(n):
        gx[i] = T(0.0) if y[i] <= T(0.0) else g[i]


@native("T x[*n], T slope, out T y[like x]")
def leaky_relu(x, slope, y, n):
    """x where positive, else slope * x."""
    for i in shared(n):
        y[i] = x[i] if x[i] > T(0.0) else x[i] * slope


@native("T g[*n], T x[*n], T slope, out T gx[like g]")
def leaky_relu_gradient(g, x, slope, gx, n):
    """g where x is positive, else slope * g."""
    for i in shared(n):
        gx[i] = g[i] if x[i] > T(0.0) else g[i] * slope


@native("T x[*n], T low, T high, out T y[like x]")
def clamped(x, low, high, y, n):
    """x limited to [low, high]; NaN stays; declined where a limit is none."""
    if low != low or high != high:
        return False
    for i in shared(n):
        v = low if x[i] < low else x[i]
        y[i] = high if v > high else v


@native("T g[*n], T x[*n], T low, T high, out T gx[like g]")
def clamped_gradient(g, x, low, high, gx, n):
    """g where x lies between the limits, else 0."""
    for i in shared(n):
        gx[i] = g[i] if (x[i] > low) & (x[i] < high) else T(0.0)


@native("T x[*n], T below, T above, T rate, out T y[like x]")
def elu(x, below, above, rate, y, n):
    """above * x where positive, else below * (exp(rate * x) - 1)."""
    for i in shared(n):
        v = x[i]
        low = below * expm1(minimum(v, T(0.0)) * rate)
        y[i] = low if v <= T(0.0) else v * above


@native("T g[*n], T x[*n], T below, T above, T rate, out T gx[like g]")
def elu_gradient(g, x, below, above, rate, gx, n):
    """g times the derivative of elu."""
    for i in shared(n):
        v = x[i]
        low = below * rate * exp(minimum(v, T(0.0)) * rate)
        gx[i] = g[i] * (above if v > T(0.0) else low)
