"""Layer and root-mean-square norms over rows, forward and backward.

Backward kernels cut the rows into `chunks`, each with sums of its own for the parameters'
gradients: the caller adds them up, and the result does not depend on the number of threads.
"""

from __future__ import annotations

from .language import T, accumulate, inlined, native, shared, sqrt
from .rows import row_sum


@inlined
def centred_square_sum(row, mean, n):
    """The sum of (row - mean) squared."""
    total = T(0.0)
    for j in range(n):
        d = row[j] - mean
        total = accumulate(total, d * d)
    return total


@native("T x[*size], T w[*n], T b[*n], i64 rows, i64 n, T eps, out T y[like x]")
def layer_norm(x, w, b, rows, n, eps, y, size):
    """(row - mean) / sqrt(variance + eps) * w + b."""
    if rows * n != size:
        return False
    for r in shared(rows):
        row = x[r * n :]
        into = y[r * n :]
        mean = row_sum(row, n) / T(n)
        scale = 1.0 / sqrt(centred_square_sum(row, mean, n) / T(n) + eps)
        for j in range(n):
            into[j] = (row[j] - mean) * scale * w[j] + b[j]


@native(
    "T g[*size], T x[*size], T w[*n], i64 rows, i64 n, T eps, i64 chunks,"
    "wanted T gx[like x], wanted T gw[chunks, n], wanted T gb[chunks, n]"
)
def layer_norm_gradient(g, x, w, rows, n, eps, chunks, gx, gw, gb, size):
    """The gradients of layer_norm; those of w and b in one row per chunk."""
    if rows * n != size:
        return False
    for c in shared(chunks):
        own_gw = gw[c * n :]
        own_gb = gb[c * n :]
        if gw is not None:
            for j in range(n):
                own_gw[j] = 0.0
        if gb is not None:
            for j in range(n):
                own_gb[j] = 0.0
        for r in range(rows * c // chunks, rows * (c + 1) // chunks):
            row = x[r * n :]
            grow = g[r * n :]
            mean = row_sum(row, n) / T(n)
            scale = 1.0 / sqrt(centred_square_sum(row, mean, n) / T(n) + eps)
            if gx is not None:
                plain = T(0.0)
                along = T(0.0)
                for j in range(n):
                    h = grow[j] * w[j]
                    plain = accumulate(plain, h)
                    along = accumulate(along, h * ((row[j] - mean) * scale))
                plain = plain / T(n)
                along = along / T(n)
                into = gx[r * n :]
                if gw is not None and gb is not None:
                    for j in range(n):
                        hat = (row[j] - mean) * scale
                        own_gw[j] = own_gw[j] + grow[j] * hat
                        own_gb[j] = own_gb[j] + grow[j]
                        into[j] = (grow[j] * w[j] - plain - hat * along) * scale
                    continue
                for j in range(n):
                    hat = (row[j] - mean) * scale
                    into[j] = (grow[j] * w[j] - plain - hat * along) * scale
            if gw is not None:
                for j in range(n):
                    own_gw[j] = own_gw[j] + grow[j] * ((row[j] - mean) * scale)
            if gb is not None:
                for j in range(n):
                    own_gb[j] = own_gb[j] + grow[j]


@inlined
def square_sum(row, n):
    """The sum of squares."""
    total = T(0.0)
    for j in range(n):
        total = accumulate(total, row[j] * row[j])
    return total


@native("T x[*size], T w[*n], i64 rows, i64 n, T eps, out T y[like x]")
def rms_norm(x, w, rows, n, eps, y, size):
    """row / sqrt(mean of squares + eps) * w."""
    if rows * n != size:
        return False
    for r in shared(rows):
        row = x[r * n :]
        into = y[r * n :]
        scale = 1.0 / sqrt(square_sum(row, n) / T(n) + eps)
        for j in range(n):
            into[j] = row[j] * scale * w[j]


@native(
    "T g[*size], T x[*size], T w[*n], i64 rows, i64 n, T eps, i64 chunks,"
    "wanted T gx[like x], wanted T gw[chunks, n]"
)
def rms_norm_gradient(g, x, w, rows, n, eps, chunks, gx, gw, size):
    """The gradients of rms_norm; that of w in one row per chunk."""
    if rows * n != size:
        return False
    for c in shared(chunks):
        own_gw = gw[c * n :]
        if gw is not None:
            for j in range(n):
                own_gw[j] = 0.0
        for r in range(rows * c // chunks, rows * (c + 1) // chunks):
            row = x[r * n :]
            grow = g[r * n :]
            scale = 1.0 / sqrt(square_sum(row, n) / T(n) + eps)
            if gx is not None:
                along = T(0.0)
                for j in range(n):
                    along = accumulate(along, grow[j] * w[j] * row[j])
                along = along * scale * scale / T(n)
                into = gx[r * n :]
                for j in range(n):
                    into[j] = (grow[j] * w[j] - row[j] * along) * scale
            if gw is not None:
                for j in range(n):
                    own_gw[j] = own_gw[j] + grow[j] * (row[j] * scale)
