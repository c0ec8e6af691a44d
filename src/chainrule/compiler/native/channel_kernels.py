"""Batch and group norms: statistics over some channels of images (n, channels, inner)."""

from __future__ import annotations

from .language import T, accumulate, inlined, native, shared, sqrt
from .norm_kernels import centred_square_sum
from .rows import row_sum


@inlined
def channel_sum(x, c, images, channels, inner):
    """The sum of one channel over all images."""
    total = T(0.0)
    for k in range(images):
        part = x[(k * channels + c) * inner :]
        some = T(0.0)
        for j in range(inner):
            some = accumulate(some, part[j])
        total += some
    return total


@inlined
def channel_spread(x, mean, c, images, channels, inner):
    """The sum of (x - mean) squared of one channel over all images."""
    total = T(0.0)
    for k in range(images):
        part = x[(k * channels + c) * inner :]
        some = T(0.0)
        for j in range(inner):
            d = part[j] - mean
            some = accumulate(some, d * d)
        total += some
    return total


@native(
    "T x[*size], T w[*channels], T b[*channels], i64 images, i64 inner, T eps,"
    "out T y[like x], out T mean[1, channels, 1], out T var[1, channels, 1]"
)
def batch_norm(x, w, b, images, inner, eps, y, mean, var, size, channels):
    """(x - mean) / sqrt(var + eps) * w + b with the statistics of each channel."""
    if images * channels * inner != size:
        return False
    for c in shared(channels):
        count = T(images * inner)
        m = channel_sum(x, c, images, channels, inner) / count
        v = channel_spread(x, m, c, images, channels, inner) / count
        mean[c] = m
        var[c] = v
        scale = 1.0 / sqrt(v + eps)
        for k in range(images):
            first = (k * channels + c) * inner
            for j in range(first, first + inner):
                y[j] = (x[j] - m) * scale * w[c] + b[c]


@native(
    "T g[*size], T x[*size], T w[*channels], i64 images, i64 inner, T eps,"
    "wanted T gx[like x], wanted T gw[channels], wanted T gb[channels]"
)
def batch_norm_gradient(g, x, w, images, inner, eps, gx, gw, gb, size, channels):
    """The gradients of batch_norm."""
    if images * channels * inner != size:
        return False
    for c in shared(channels):
        count = T(images * inner)
        m = channel_sum(x, c, images, channels, inner) / count
        v = channel_spread(x, m, c, images, channels, inner) / count
        scale = 1.0 / sqrt(v + eps)
        plain = T(0.0)
        along = T(0.0)
        for k in range(images):
            first = (k * channels + c) * inner
            some = T(0.0)
            some_along = T(0.0)
            for j in range(first, first + inner):
                some = accumulate(some, g[j])
                some_along = accumulate(some_along, g[j] * ((x[j] - m) * scale))
            plain += some
            along += some_along
        if gw is not None:
            gw[c] = along
        if gb is not None:
            gb[c] = plain
        if gx is not None:
            factor = w[c] * scale
            plain = plain / count
            along = along / count * scale
            for k in range(images):
                first = (k * channels + c) * inner
                for j in range(first, first + inner):
                    gx[j] = (g[j] - plain - (x[j] - m) * along) * factor


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
    for k in shared(images):
        for q in range(groups):
            first = (k * groups + q) * count
            m = row_sum(x[first:], count) / T(count)
            v = centred_square_sum(x[first:], m, count) / T(count)
            scale = 1.0 / sqrt(v + eps)
            for c in range(own):
                start = first + c * inner
                factor = scale * w[q * own + c]
                shift = b[q * own + c]
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
    for q in shared(groups):
        for c in range(q * own, (q + 1) * own):
            if gw is not None:
                gw[c] = 0.0
            if gb is not None:
                gb[c] = 0.0
        for k in range(images):
            first = (k * groups + q) * count
            m = row_sum(x[first:], count) / T(count)
            v = centred_square_sum(x[first:], m, count) / T(count)
            scale = 1.0 / sqrt(v + eps)
            plain = T(0.0)
            along = T(0.0)
            for c in range(own):
                start = first + c * inner
                some = row_sum(g[start:], inner)
                some_along = T(0.0)
                for j in range(start, start + inner):
                    some_along = accumulate(some_along, g[j] * ((x[j] - m) * scale))
                plain += some * w[q * own + c]
                along += some_along * w[q * own + c]
                if gw is not None:
                    gw[q * own + c] = gw[q * own + c] + some_along
                if gb is not None:
                    gb[q * own + c] = gb[q * own + c] + some
            if gx is not None:
                plain = plain / T(count)
                along = along / T(count) * scale
                for c in range(own):
                    start = first + c * inner
                    factor = w[q * own + c]
                    for j in range(start, start + inner):
                        gx[j] = (g[j] * factor - plain - (x[j] - m) * along) * scale


# ---- one element per channel ---------------------------------------------------------------------


@inlined
def column_statistics(x, mean, squares, share, rows, n):
    """The mean of each column, and the sum of squared distances from it."""
    for j in range(n):
        mean[j] = 0.0
        squares[j] = 0.0
    for r in range(rows):
        row = x[r * n :]
        for j in range(n):
            mean[j] = mean[j] + row[j]
    for j in range(n):
        mean[j] = mean[j] * share
    for r in range(rows):
        row = x[r * n :]
        for j in range(n):
            d = row[j] - mean[j]
            squares[j] = squares[j] + d * d


@native(
    "T x[rows, n], T w[*n], T b[*n], T eps, out T y[rows, n], out T mean[1, n, 1],"
    "out T var[1, n, 1]"
)
def column_norm(x, w, b, eps, y, mean, var, rows, n):
    """batch_norm of a matrix: the statistics of each column, in passes over the rows."""
    if rows == 0:
        return False
    share = 1.0 / T(rows)
    column_statistics(x, mean, var, share, rows, n)
    for j in range(n):
        var[j] = var[j] * share
    for r in range(rows):
        row = x[r * n :]
        into = y[r * n :]
        for j in range(n):
            into[j] = (row[j] - mean[j]) * (1.0 / sqrt(var[j] + eps)) * w[j] + b[j]


@native(
    "T g[rows, n], T x[rows, n], T w[*n], T eps, out T gx[rows, n], out T gw[n], out T gb[n],"
    "out T mean[n], out T scale[n]"
)
def column_norm_gradient(g, x, w, eps, gx, gw, gb, mean, scale, rows, n):
    """The gradients of column_norm; the last two results are what it computed on the way."""
    if rows == 0:
        return False
    share = 1.0 / T(rows)
    for j in range(n):
        gw[j] = 0.0
        gb[j] = 0.0
    column_statistics(x, mean, scale, share, rows, n)
    for j in range(n):
        scale[j] = 1.0 / sqrt(scale[j] * share + eps)
    for r in range(rows):
        row = x[r * n :]
        grow = g[r * n :]
        for j in range(n):
            gb[j] = gb[j] + grow[j]
            gw[j] = gw[j] + grow[j] * ((row[j] - mean[j]) * scale[j])
    for r in range(rows):
        row = x[r * n :]
        grow = g[r * n :]
        into = gx[r * n :]
        for j in range(n):
            hat = (row[j] - mean[j]) * scale[j]
            into[j] = (grow[j] - gb[j] * share - hat * (gw[j] * share)) * (w[j] * scale[j])
