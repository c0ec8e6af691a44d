"""Convolutions of groups with few channels (depthwise ones above all), by kernels of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .kernels import depthwise_jobs, fast

_MOST = 4  # channels of a group, in and out, up to which a matrix product would be mostly border
_FEWEST = 1 << 12  # elements of the images from which a kernel is worth loading


class Sizes(NamedTuple):
    """A convolution of images of two dimensions."""

    images: int
    channels: int
    spatial: tuple[int, ...]
    kernel: tuple[int, ...]
    out: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]


def sizes(x, g) -> Any:
    """The convolution as one of images of two dimensions; None if it is not for kernels here."""
    nd = len(g.spatial)
    inputs, outputs = g.channels // g.groups, g.outputs // g.groups
    suits = g.groups > 1 and nd <= 2 and inputs <= _MOST and outputs <= 2 * _MOST
    if not suits or x.dtype.char not in "fd" or x.size < _FEWEST:
        return None
    ones, zeros = (1,) * (2 - nd), (0,) * (2 - nd)
    return Sizes(
        len(x), g.channels, (*ones, *g.spatial), (*ones, *g.kernel), (*ones, *g.out),
        (*ones, *g.stride), (*zeros, *g.padding), (*ones, *g.dilation),
    )  # fmt: skip


def _channels_alone(g) -> Any:
    """What convolves every channel with a kernel of its own; None where groups are larger."""
    return depthwise_jobs() if g.groups == g.channels == g.outputs else None


def forward(x, w, b, g):
    """The convolution; None where it is left to others."""
    n = sizes(x, g)
    if n is None:
        return None
    images = np.ascontiguousarray(x).reshape(len(x), g.channels, *n.spatial)
    kernels = np.ascontiguousarray(w).reshape(g.outputs, -1, *n.kernel)
    bias = None if b is None else np.ascontiguousarray(b)
    alone = _channels_alone(g)
    y = None if alone is None else alone.forward(images, kernels, bias, n)
    if y is None:
        numbers = *n.out, *n.stride, *n.padding, *n.dilation
        y = fast.window_sums(images, kernels, bias, len(x) * g.groups, *numbers)
    return None if y is None else y.reshape(len(x), g.outputs, *g.out)


def weight_gradient(x, gy, g):
    """The gradient of the kernels; None where it is left to others."""
    n = sizes(x, g)
    if n is None:
        return None
    images = np.ascontiguousarray(x).reshape(len(x), g.channels, *n.spatial)
    pulled = np.ascontiguousarray(gy).reshape(len(x), g.outputs, *n.out)
    alone = _channels_alone(g)
    gw = None if alone is None else alone.weight_gradient(images, pulled, n)
    if gw is None:
        inputs = g.channels // g.groups
        numbers = inputs, *n.kernel, *n.stride, *n.padding, *n.dilation
        gw = fast.window_weights(images, pulled, g.outputs * inputs, *numbers)
    return gw


def input_gradient(gy, w, g):
    """The gradient of the images; None where it is left to others."""
    n = sizes(gy, g)
    if n is None:
        return None
    pulled = np.ascontiguousarray(gy).reshape(len(gy), g.outputs, *n.out)
    kernels = np.ascontiguousarray(w).reshape(g.outputs, -1, *n.kernel)
    alone = _channels_alone(g)
    gx = None if alone is None else alone.image_gradient(pulled, kernels, n)
    if gx is None:
        numbers = *n.spatial, *n.stride, *n.padding, *n.dilation
        gx = fast.window_images(pulled, kernels, len(gy) * g.channels, *numbers, g.channels)
    return None if gx is None else gx.reshape(len(gy), g.channels, *g.spatial)
