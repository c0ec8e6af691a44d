"""Batch and group norms: statistics over some channels of images (n, channels, inner)."""

from __future__ import annotations

from .language import T, accumulate, inlined, native, shared, sqrt


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
