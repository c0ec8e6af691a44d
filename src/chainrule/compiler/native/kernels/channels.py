"""Batch and group norms: statistics over some channels of images (n, channels, inner).

They are written by hand: a weight belongs to a stretch of a row here, and a channel is scattered
over the images, so no single loop over rows results from the formula in ops.
"""

from __future__ import annotations

from ..language.words import T, accumulate, f64, inlined, native, shared, sqrt, stack
from .row_helpers import BLOCK, block_sum, long_sum
from .sums import add_columns


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


@inlined
def channel_sum(x, c, images, channels, inner):
    """The sum of one channel over all images, as a double."""
    total: f64 = 0.0
    for k in range(images):
        total += long_sum(x[(k * channels + c) * inner :], inner)
    return total


@inlined
def channel_moments(x, mean, c, images, channels, inner, found):
    """found = (the variance of a channel, what rounding left of its mean), as doubles."""
    squares: f64 = 0.0
    drift: f64 = 0.0
    for k in range(images):
        start = 0
        while start < inner:
            part = x[(k * channels + c) * inner + start :]
            some = T(0.0)
            rest = T(0.0)
            for j in range(min(BLOCK, inner - start)):
                d = part[j] - mean
                some = accumulate(some, d * d)
                rest = accumulate(rest, d)
            squares += f64(some)
            drift += f64(rest)
            start += BLOCK
    found[1] = drift / f64(images * inner)
    found[0] = squares / f64(images * inner) - found[1] * found[1]


@native(
    "T x[*size], T w[*channels], T b[*channels], i64 images, i64 inner, T eps,"
    "out T y[like x], out T mean[1, channels, 1], out T var[1, channels, 1]"
)
def batch_norm(x, w, b, images, inner, eps, y, mean, var, size, channels):
    """(x - mean) / sqrt(var + eps) * w + b with the statistics of each channel."""
    if images * channels * inner != size:
        return False
    found = stack("f64", 2)
    for c in shared(channels):
        count = f64(images * inner)
        m = T(channel_sum(x, c, images, channels, inner) / count)
        channel_moments(x, m, c, images, channels, inner, found)
        v = T(found[0])
        mean[c] = m
        var[c] = v
        scale = 1.0 / sqrt(v + eps)
        shift = b[c] - T(found[1]) * scale * w[c]
        for k in range(images):
            first = (k * channels + c) * inner
            for j in range(first, first + inner):
                y[j] = (x[j] - m) * scale * w[c] + shift


@native(
    "T g[*size], T x[*size], T w[*channels], i64 images, i64 inner, T eps,"
    "wanted T gx[like x], wanted T gw[channels], wanted T gb[channels]"
)
def batch_norm_gradient(g, x, w, images, inner, eps, gx, gw, gb, size, channels):
    """The gradients of batch_norm."""
    if images * channels * inner != size:
        return False
    found = stack("f64", 2)
    for c in shared(channels):
        count = f64(images * inner)
        m = T(channel_sum(x, c, images, channels, inner) / count)
        channel_moments(x, m, c, images, channels, inner, found)
        v = T(found[0])
        scale = 1.0 / sqrt(v + eps)
        shift = T(-found[1])
        plain_sum: f64 = 0.0
        along_sum: f64 = 0.0
        for k in range(images):
            start = (k * channels + c) * inner
            end = start + inner
            while start < end:
                some = T(0.0)
                some_along = T(0.0)
                for j in range(start, min(start + BLOCK, end)):
                    some = accumulate(some, g[j])
                    some_along = accumulate(some_along, g[j] * (x[j] - m))
                plain_sum += f64(some)
                along_sum += f64(some_along)
                start += BLOCK
        along_sum = (along_sum + plain_sum * f64(shift)) * f64(scale)
        if gw is not None:
            gw[c] = T(along_sum)
        if gb is not None:
            gb[c] = T(plain_sum)
        if gx is not None:
            factor = w[c] * scale
            plain = T(plain_sum / count)
            along = T(along_sum / count) * scale
            for k in range(images):
                first = (k * channels + c) * inner
                for j in range(first, first + inner):
                    gx[j] = (g[j] - plain - ((x[j] - m) + shift) * along) * factor


@inlined
def sum_along(g, x, mean, n):
    """The sum of g * (x - mean), as a double."""
    total: f64 = 0.0
    start = 0
    while start < n:
        a = g[start:]
        b = x[start:]
        some = T(0.0)
        for j in range(min(BLOCK, n - start)):
            some = accumulate(some, a[j] * (b[j] - mean))
        total += f64(some)
        start += BLOCK
    return total


# ---- groups of channels --------------------------------------------------------------------------


@native(
    "T x[*size], T w[*channels], T b[*channels], i64 images, i64 groups, i64 inner, T eps,"
    "out T y[like x]"
)
def group_norm(x, w, b, images, groups, inner, eps, y, size, channels):
    """(x - mean) / sqrt(var + eps) * w + b with the statistics of each image's groups."""
    own = channels // groups
    count = own * inner
    if images * channels * inner != size or groups * own != channels:
        return False
    found = stack("T", 2)
    share = 1.0 / T(count)
    for k in shared(images):
        for q in range(groups):
            first = (k * groups + q) * count
            m = row_mean(x[first:], count, share)
            centred_moments(x[first:], m, count, share, found)
            scale = 1.0 / sqrt(found[0] + eps)
            drift = -found[1]
            for c in range(own):
                start = first + c * inner
                factor = scale * w[q * own + c]
                shift = b[q * own + c] + drift * factor
                for j in range(start, start + inner):
                    y[j] = (x[j] - m) * factor + shift


@native(
    "T g[*size], T x[*size], T w[*channels], i64 images, i64 groups, i64 inner, T eps,"
    "wanted T gx[like x], wanted T gw[channels], wanted T gb[channels]"
)
def group_norm_gradient(g, x, w, images, groups, inner, eps, gx, gw, gb, size, channels):
    """The gradients of group_norm; a thread has whole groups of all images."""
    own = channels // groups
    count = own * inner
    if images * channels * inner != size or groups * own != channels:
        return False
    found = stack("T", 2)
    share = 1.0 / T(count)
    for q in shared(groups):
        for c in range(q * own, (q + 1) * own):
            if gw is not None:
                gw[c] = 0.0
            if gb is not None:
                gb[c] = 0.0
        for k in range(images):
            first = (k * groups + q) * count
            m = row_mean(x[first:], count, share)
            centred_moments(x[first:], m, count, share, found)
            scale = 1.0 / sqrt(found[0] + eps)
            drift = -found[1]
            plain_sum: f64 = 0.0
            along_sum: f64 = 0.0
            for c in range(own):
                start = first + c * inner
                some = long_sum(g[start:], inner)
                some_along = sum_along(g[start:], x[start:], m, inner) + some * f64(drift)
                some_along = some_along * f64(scale)
                plain_sum += some * f64(w[q * own + c])
                along_sum += some_along * f64(w[q * own + c])
                if gw is not None:
                    gw[q * own + c] = gw[q * own + c] + T(some_along)
                if gb is not None:
                    gb[q * own + c] = gb[q * own + c] + T(some)
            if gx is not None:
                plain = T(plain_sum) * share
                along = T(along_sum) * share * scale
                for c in range(own):
                    start = first + c * inner
                    factor = w[q * own + c]
                    for j in range(start, start + inner):
                        gx[j] = (g[j] * factor - plain - ((x[j] - m) + drift) * along) * scale


# ---- one element per channel ---------------------------------------------------------------------


@inlined(apart=True)
def column_statistics(x, mean, rest, squares, rows, n):
    """The mean of each column, what its rounding left, and the sum of squared distances."""
    add_columns(x, mean, rows, n, n)
    for j in range(n):
        mean[j] = mean[j] / T(rows)
    total = stack("f64", 64)
    drift = stack("f64", 64)
    first = 0
    while first < n:
        count = min(64, n - first)
        centre = mean[first:]
        for j in range(count):
            total[j] = 0.0
            drift[j] = 0.0
        r = 0
        while r < rows:
            a = x[r * n + first :]
            if r + 4 <= rows:
                for j in range(count):
                    d0 = a[j] - centre[j]
                    d1 = a[n + j] - centre[j]
                    d2 = a[2 * n + j] - centre[j]
                    d3 = a[3 * n + j] - centre[j]
                    total[j] = total[j] + f64((d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3))
                    drift[j] = drift[j] + f64((d0 + d1) + (d2 + d3))
                r += 4
            else:
                for j in range(count):
                    d0 = a[j] - centre[j]
                    total[j] = total[j] + f64(d0 * d0)
                    drift[j] = drift[j] + f64(d0)
                r += 1
        for j in range(count):
            rest[first + j] = T(drift[j] / f64(rows))
            squares[first + j] = T(total[j] - drift[j] * drift[j] / f64(rows))
        first += 64


@native(
    "T x[rows, n], T w[*n], T b[*n], T eps, out T y[rows, n], out T mean[1, n, 1],"
    "out T var[1, n, 1], out T rest[n]"
)
def column_norm(x, w, b, eps, y, mean, var, rest, rows, n):
    """batch_norm of a matrix: the statistics of each column, in passes over the rows; the last
    result is what it computed on the way."""
    if rows == 0:
        return False
    share = 1.0 / T(rows)
    column_statistics(x, mean, rest, var, rows, n)
    for j in range(n):
        var[j] = var[j] * share
    for r in range(rows):
        row = x[r * n :]
        into = y[r * n :]
        for j in range(n):
            d = (row[j] - mean[j]) - rest[j]
            into[j] = d * (1.0 / sqrt(var[j] + eps)) * w[j] + b[j]


@inlined(apart=True)
def column_products(g, x, mean, y, rows, n):
    """The sum of g * (x - mean) of each column."""
    total = stack("f64", 64)
    first = 0
    while first < n:
        count = min(64, n - first)
        centre = mean[first:]
        for j in range(count):
            total[j] = 0.0
        r = 0
        while r < rows:
            a = x[r * n + first :]
            b = g[r * n + first :]
            if r + 4 <= rows:
                for j in range(count):
                    p0 = b[j] * (a[j] - centre[j])
                    p1 = b[n + j] * (a[n + j] - centre[j])
                    p2 = b[2 * n + j] * (a[2 * n + j] - centre[j])
                    p3 = b[3 * n + j] * (a[3 * n + j] - centre[j])
                    total[j] = total[j] + f64((p0 + p1) + (p2 + p3))
                r += 4
            else:
                for j in range(count):
                    total[j] = total[j] + f64(b[j] * (a[j] - centre[j]))
                r += 1
        for j in range(count):
            y[first + j] = T(total[j])
        first += 64


@native(
    "T g[rows, n], T x[rows, n], T w[*n], T eps, out T gx[rows, n], out T gw[n], out T gb[n],"
    "out T mean[n], out T rest[n], out T scale[n]"
)
def column_norm_gradient(g, x, w, eps, gx, gw, gb, mean, rest, scale, rows, n):
    """The gradients of column_norm; the last three results are what it computed on the way."""
    if rows == 0:
        return False
    share = 1.0 / T(rows)
    column_statistics(x, mean, rest, scale, rows, n)
    for j in range(n):
        scale[j] = 1.0 / sqrt(scale[j] * share + eps)
    add_columns(g, gb, rows, n, n)
    column_products(g, x, mean, gw, rows, n)
    for j in range(n):
        gw[j] = (gw[j] - rest[j] * gb[j]) * scale[j]
    for r in range(rows):
        row = x[r * n :]
        grow = g[r * n :]
        into = gx[r * n :]
        for j in range(n):
            hat = ((row[j] - mean[j]) - rest[j]) * scale[j]
            into[j] = (grow[j] - gb[j] * share - hat * (gw[j] * share)) * (w[j] * scale[j])
