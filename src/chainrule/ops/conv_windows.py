"""Convolutions of groups with few channels (depthwise ones above all), by kernels of their own."""

from __future__ import annotations

import numpy as np

from .kernels import fast

_MOST = 4  # channels of a group, in and out, up to which a matrix product would be mostly border
_FEWEST = 1 << 12  # elements of the images from which a kernel is worth loading


def sizes(x, g):
    """The arrays as images of two dimensions and the numbers of a kernel; None if not for it."""
    nd = len(g.spatial)
    inputs, outputs = g.channels // g.groups, g.outputs // g.groups
    suits = g.groups > 1 and nd <= 2 and inputs <= _MOST and outputs <= 2 * _MOST
    if not suits or x.dtype.char not in "fd" or x.size < _FEWEST:
        return None
    ones, zeros = (1,) * (2 - nd), (0,) * (2 - nd)
    return (
        (*ones, *g.out), (*ones, *g.stride), (*zeros, *g.padding), (*ones, *g.dilation),
        (*ones, *g.kernel), (*ones, *g.spatial),
    )  # fmt: skip


def forward(x, w, b, g):
    """The convolution; None where it is left to others."""
    numbers = sizes(x, g)
    if numbers is None:
        return None
    out, stride, padding, dilation, kernel, spatial = numbers
    images = np.ascontiguousarray(x).reshape(len(x), g.channels, *spatial)
    kernels = np.ascontiguousarray(w).reshape(g.outputs, -1, *kernel)
    bias = None if b is None else np.ascontiguousarray(b)
    turns = len(x) * g.groups
    y = fast.window_sums(images, kernels, bias, turns, *out, *stride, *padding, *dilation)
    return None if y is None else y.reshape(len(x), g.outputs, *g.out)


def weight_gradient(x, gy, g):
    """The gradient of the kernels; None where it is left to others."""
    numbers = sizes(x, g)
    if numbers is None:
        return None
    out, stride, padding, dilation, kernel, spatial = numbers
    images = np.ascontiguousarray(x).reshape(len(x), g.channels, *spatial)
    pulled = np.ascontiguousarray(gy).reshape(len(x), g.outputs, *out)
    inputs = g.channels // g.groups
    pairs = g.outputs * inputs
    return fast.window_weights(images, pulled, pairs, inputs, *kernel, *stride, *padding, *dilation)


def input_gradient(gy, w, g):
    """The gradient of the images; None where it is left to others."""
    numbers = sizes(gy, g)
    if numbers is None:
        return None
    out, stride, padding, dilation, kernel, spatial = numbers
    pulled = np.ascontiguousarray(gy).reshape(len(gy), g.outputs, *out)
    kernels = np.ascontiguousarray(w).reshape(g.outputs, -1, *kernel)
    images = len(gy) * g.channels
    gx = fast.window_images(
        pulled, kernels, images, *spatial, *stride, *padding, *dilation, g.channels
    )
    return None if gx is None else gx.reshape(len(gy), g.channels, *g.spatial)
