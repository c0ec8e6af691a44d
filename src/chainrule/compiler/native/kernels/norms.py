"""Layer and root-mean-square norms over rows, forward and backward.

Backward kernels cut the rows into `chunks`, each with sums of its own for the parameters'
gradients: the caller adds them up, and the result does not depend on the number of threads.
"""

from __future__ import annotations

from ..language.words import T, accumulate, f64, inlined, native, shared, sqrt, stack
from .row_helpers import BLOCK, block_sum, long_sum


@inlined
def row_mean(row, n, share):
    """The mean of a row; share = 1 / n."""
    mean = T(0.0)
    if n <= BLOCK:  # conversions would cost as much as the sum of a short row
        mean = block_sum(row, n) * share
    else:
        mean = T(long_sum(row, n) * f64(share))
    return mean


@inlined
def centred_moments(row, mean, n, share, found):
    """found = (the variance of a row, what rounding left of its mean); share = 1 / n."""
    some = T(0.0)
    rest = T(0.0)
    if n <= BLOCK:
        for j in range(n):
            d = row[j] - mean
            some = accumulate(some, d * d)
            rest = accumulate(rest, d)
    else:
        squares: f64 = 0.0
        drift: f64 = 0.0
        start = 0
        while start < n:
            some = T(0.0)
            rest = T(0.0)
            for j in range(start, min(start + BLOCK, n)):
                d = row[j] - mean
                some = accumulate(some, d * d)
                rest = accumulate(rest, d)
            squares += f64(some)
            drift += f64(rest)
            start += BLOCK
        some = T(squares)
        rest = T(drift)
    found[1] = rest * share
    found[0] = some * share - found[1] * found[1]


@native("T x[*size], T w[*n], T b[*n], i64 rows, i64 n, T eps, out T y[like x]")
def layer_norm(x, w, b, rows, n, eps, y, size):
    """(row - mean) / sqrt(variance + eps) * w + b."""
    if rows * n != size:
        return False
    found = stack("T", 2)
    share = 1.0 / T(n)
    for r in shared(rows):
        row = x[r * n :]
        into = y[r * n :]
        mean = row_mean(row, n, share)
        centred_moments(row, mean, n, share, found)
        scale = 1.0 / sqrt(found[0] + eps)
        shift = -found[1] * scale
        for j in range(n):
            into[j] = ((row[j] - mean) * scale + shift) * w[j] + b[j]


@native(
    "T g[*size], T x[*size], T w[*n], i64 rows, i64 n, T eps, i64 chunks,"
    "wanted T gx[like x], wanted T gw[chunks, n], wanted T gb[chunks, n]"
)
def layer_norm_gradient(g, x, w, rows, n, eps, chunks, gx, gw, gb, size):
    """The gradients of layer_norm; those of w and b in one row per chunk."""
    if rows * n != size:
        return False
    found = stack("T", 2)
    share = 1.0 / T(n)
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
            mean = row_mean(row, n, share)
            centred_moments(row, mean, n, share, found)
            scale = 1.0 / sqrt(found[0] + eps)
            shift = -found[1] * scale
            if gx is not None:
                plain = T(0.0)
                along = T(0.0)
                plain_sum: f64 = 0.0
                along_sum: f64 = 0.0
                start = 0
                while start < n:
                    plain = T(0.0)
                    along = T(0.0)
                    for j in range(start, min(start + BLOCK, n)):
                        h = grow[j] * w[j]
                        plain = accumulate(plain, h)
                        along = accumulate(along, h * ((row[j] - mean) * scale + shift))
                    start += BLOCK
                    if n > BLOCK:
                        plain_sum += f64(plain)
                        along_sum += f64(along)
                if n > BLOCK:
                    plain = T(plain_sum)
                    along = T(along_sum)
                plain = plain * share
                along = along * share
                into = gx[r * n :]
                if gw is not None and gb is not None:
                    for j in range(n):
                        hat = (row[j] - mean) * scale + shift
                        own_gw[j] = own_gw[j] + grow[j] * hat
                        own_gb[j] = own_gb[j] + grow[j]
                        into[j] = (grow[j] * w[j] - plain - hat * along) * scale
                    continue
                for j in range(n):
                    hat = (row[j] - mean) * scale + shift
                    into[j] = (grow[j] * w[j] - plain - hat * along) * scale
            if gw is not None:
                for j in range(n):
                    own_gw[j] = own_gw[j] + grow[j] * ((row[j] - mean) * scale + shift)
            if gb is not None:
                for j in range(n):
                    own_gb[j] = own_gb[j] + grow[j]


@inlined
def square_sum(row, n):
    """The sum of squares."""
    total: f64 = 0.0
    some = T(0.0)
    start = 0
    while start < n:
        part = row[start:]
        some = T(0.0)
        for j in range(min(BLOCK, n - start)):
            some = accumulate(some, part[j] * part[j])
        start += BLOCK
        if n > BLOCK:
            total += f64(some)
    if n > BLOCK:
        some = T(total)
    return some


@native("T x[*size], T w[*n], i64 rows, i64 n, T eps, out T y[like x]")
def rms_norm(x, w, rows, n, eps, y, size):
    """row / sqrt(mean of squares + eps) * w."""
    if rows * n != size:
        return False
    share = 1.0 / T(n)
    for r in shared(rows):
        row = x[r * n :]
        into = y[r * n :]
        scale = 1.0 / sqrt(square_sum(row, n) * share + eps)
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
    share = 1.0 / T(n)
    for c in shared(chunks):
        own_gw = gw[c * n :]
        if gw is not None:
            for j in range(n):
                own_gw[j] = 0.0
        for r in range(rows * c // chunks, rows * (c + 1) // chunks):
            row = x[r * n :]
            grow = g[r * n :]
            scale = 1.0 / sqrt(square_sum(row, n) * share + eps)
            if gx is not None:
                along_sum: f64 = 0.0
                start = 0
                while start < n:
                    some = T(0.0)
                    for j in range(start, min(start + BLOCK, n)):
                        some = accumulate(some, grow[j] * w[j] * row[j])
                    along_sum += f64(some)
                    start += BLOCK
                along = T(along_sum) * share * scale * scale
                into = gx[r * n :]
                for j in range(n):
                    into[j] = (grow[j] * w[j] - row[j] * along) * scale
            if gw is not None:
                for j in range(n):
                    own_gw[j] = own_gw[j] + grow[j] * (row[j] * scale)
