"""Transposed convolutions as sums: what each window hands back is added to the places it saw.

The products of all windows and all kernel elements can be far larger than the result (a million
channels, kernels larger than the image), so they are made in parts of bounded size.
"""

from __future__ import annotations

import math

import numpy as np

_CHUNK = 1 << 18  # products at once, of several images
_LARGEST = 1 << 24  # products at once, of one image
_MANY_TAPS = 1 << 12  # elements of a kernel from which on one step for each is too many


def scattered(gy, w, x_shape, g):
    """The derivative of sum(gy * conv(x, w)) by x, for any stride."""
    n, per_group = len(gy), g.outputs // g.groups
    windows, taps = math.prod(g.out), math.prod(g.kernel)
    kernel = np.ascontiguousarray(w).reshape(g.groups, per_group, g.columns)
    flat = gy.reshape(n, g.groups, per_group, windows)
    by_window = taps > max(_MANY_TAPS, 8 * windows)
    if not by_window and g.channels // g.groups * taps * windows > _LARGEST:
        return _in_blocks(flat, kernel, x_shape, g)
    padded = np.zeros((n, g.channels, *g.padded), gy.dtype)
    if by_window:
        _by_window(padded, flat, kernel, g)
    else:
        size = max(1, _CHUNK // max(1, g.columns * g.groups * windows))
        for start in range(0, n, size):
            cols = np.matmul(kernel.swapaxes(-1, -2), flat[start : start + size])
            cols = cols.reshape(len(cols), g.channels, taps, *g.out)
            add_columns(padded[start : start + len(cols)], cols, g)
    if not any(g.padding) and g.padded == g.spatial:
        return padded
    return np.ascontiguousarray(padded[(slice(None), slice(None), *_inner(g))])


def _inner(g):
    """Where the image lies within its padding."""
    return tuple(slice(p, p + m) for p, m in zip(g.padding, g.spatial, strict=True))


def _in_blocks(flat, kernel, x_shape, g):
    """So many channels that only some of one image are padded at once."""
    out = np.empty(x_shape, flat.dtype)
    windows, taps = math.prod(g.out), math.prod(g.kernel)
    inputs, some = g.channels // g.groups, max(1, _LARGEST // (taps * windows))
    for group in range(g.groups):
        for first in range(0, inputs, some):
            end = min(first + some, inputs)
            part = kernel[group, :, first * taps : end * taps].swapaxes(-1, -2)
            into = slice(group * inputs + first, group * inputs + end)
            for k in range(len(flat)):
                cols = np.matmul(part, flat[k, group]).reshape(1, end - first, taps, *g.out)
                padded = np.zeros((1, end - first, *g.padded), flat.dtype)
                add_columns(padded, cols, g)
                out[k, into] = padded[(0, slice(None), *_inner(g))]
    return out


def _by_window(padded, flat, kernel, g):
    """Kernels larger than the image: every window adds all that it hands back at once."""
    for number, window in enumerate(np.ndindex(*g.out)):
        place = tuple(
            slice(o * s, o * s + d * (k - 1) + 1, d)
            for o, d, s, k in zip(window, g.dilation, g.stride, g.kernel, strict=True)
        )
        share = np.matmul(flat[..., None, :, number], kernel)
        padded[(..., *place)] += share.reshape(len(flat), g.channels, *g.kernel)


def add_columns(padded, cols, g):
    """Every kernel offset adds its share to the positions it saw."""
    for k, offset in enumerate(np.ndindex(*g.kernel)):
        place = tuple(
            slice(o * d, o * d + s * (m - 1) + 1, s)
            for o, d, s, m in zip(offset, g.dilation, g.stride, g.out, strict=True)
        )
        padded[(..., *place)] += cols[:, :, k]
