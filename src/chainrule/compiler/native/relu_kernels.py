"""The rectifier, forward and backward."""

from __future__ import annotations

from .language import T, native, shared


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
