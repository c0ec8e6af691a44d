"""Convolutions. The three linear maps (forward, by input, by weight) are each other's rules."""

from __future__ import annotations

from . import flops
from .batching import Fold
from .later import Later
from .schema import helper, op

arrays = Later(".conv_arrays", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@helper
def channel_sum(g):
    """The sum over everything but the channels."""
    return reduce_sum(g, axis=(0, *range(2, len(g.shape))), keepdims=False)


@helper
def as_channels(b, shape):
    """A vector repeated over everything but the channels."""
    one = (1, shape[1]) + (1,) * (len(shape) - 2)
    return broadcast_to(reshape(b, shape=one), shape=shape)


@helper
def first_windows(y, shape):
    """The first of the windows along each spatial dimension, as many as `shape` has."""
    if tuple(y.shape) == tuple(shape):
        return y
    for axis in range(2, len(shape)):
        y = slice_axis(y, axis=axis, start=0, stop=shape[axis], step=1)
    return clone_contiguous(y)


def _windows(x, w, *bias, **geometry):
    """The type of a convolution's result."""
    if x.shape[1] != w.shape[1] * geometry["groups"]:
        raise ValueError("convolution: channels of input and weight differ")
    out = arrays.Geometry(x.shape, w.shape, **geometry).out
    return [((x.shape[0], w.shape[0], *out), x.dtype)]


@op(
    vjp={
        "x": lambda g, w, x_shape, stride, padding, dilation, groups: conv_input(
            g, conj(w), spatial=x_shape[2:], stride=stride, padding=padding, dilation=dilation,
            groups=groups),
        "w": lambda g, x, w_shape, stride, padding, dilation, groups: conv_weight(
            conj(x), g, kernel=w_shape, stride=stride, padding=padding, dilation=dilation,
            groups=groups),
        "b": lambda g: channel_sum(g),
    },
    jvp={
        "x": lambda t, w, stride, padding, dilation, groups: convolution_no_bias(
            t, w, stride=stride, padding=padding, dilation=dilation, groups=groups),
        "w": lambda t, x, stride, padding, dilation, groups: convolution_no_bias(
            x, t, stride=stride, padding=padding, dilation=dilation, groups=groups),
        "b": lambda t, out_shape: as_channels(t, out_shape),
    },
    batch=Fold(("x",)),
    dead=("b",), aten=("conv{}d", "convolution"),
    work=flops.CONVOLUTION,
    types=_windows,
)  # fmt: skip
def convolution(x, w, b, *, stride, padding, dilation, groups):
    """The cross-correlation of x with the kernels w, plus b."""
    return arrays.in_format(arrays.conv_forward(x, w, b, stride, padding, dilation, groups), x, w)


@op(
    vjp={
        "x": lambda g, w, x_shape, stride, padding, dilation, groups: conv_input(
            g, conj(w), spatial=x_shape[2:], stride=stride, padding=padding, dilation=dilation,
            groups=groups),
        "w": lambda g, x, w_shape, stride, padding, dilation, groups: conv_weight(
            conj(x), g, kernel=w_shape, stride=stride, padding=padding, dilation=dilation,
            groups=groups),
    },
    linear_in=("x", "w"),
    batch=Fold(("x",)),
    node="ConvolutionBackward0", aten=("conv{}d", "convolution"),
    work=flops.CONVOLUTION,
    types=_windows,
)  # fmt: skip
def convolution_no_bias(x, w, *, stride, padding, dilation, groups):
    """The cross-correlation of x with the kernels w."""
    return arrays.in_format(
        arrays.conv_forward(x, w, None, stride, padding, dilation, groups), x, w
    )


@op(
    vjp={
        "y": lambda g, w, y_shape, stride, padding, dilation, groups: first_windows(
            convolution_no_bias(g, conj(w), stride=stride, padding=padding, dilation=dilation,
                                groups=groups), y_shape),
        "w": lambda g, y, w_shape, stride, padding, dilation, groups: conv_weight(
            g, conj(y), kernel=w_shape, stride=stride, padding=padding, dilation=dilation,
            groups=groups),
    },
    linear_in=("y", "w"),
    batch=Fold(("y",)),
    node="ConvolutionBackward0", aten=("conv_transpose{}d", "convolution"),
    work=flops.TRANSPOSED_CONVOLUTION,
    types=lambda y, w, *, spatial, groups, **rest: [
        ((y.shape[0], w.shape[1] * groups, *spatial), y.dtype)],
)  # fmt: skip
def conv_input(y, w, *, spatial, stride, padding, dilation, groups):
    """The transposed convolution of y with w, giving an input of that spatial size."""
    out = arrays.conv_input_gradient(y, w, spatial, stride, padding, dilation, groups)
    return arrays.in_format(out, y, w)


@op(
    vjp={
        "x": lambda g, y, x_shape, stride, padding, dilation, groups: conv_input(
            conj(y), g, spatial=x_shape[2:], stride=stride, padding=padding, dilation=dilation,
            groups=groups),
        "y": lambda g, x, y_shape, stride, padding, dilation, groups: first_windows(
            convolution_no_bias(conj(x), g, stride=stride, padding=padding, dilation=dilation,
                                groups=groups), y_shape),
    },
    linear_in=("x", "y"),
    batch="loop",
)  # fmt: skip
def conv_weight(x, y, *, kernel, stride, padding, dilation, groups):
    """How strongly each kernel element links x to y: the weight's gradient for an output's y."""
    w = arrays.conv_weight_gradient(x, y, kernel, stride, padding, dilation, groups)
    return arrays.in_format(w, x, y)


# ---- windows as columns --------------------------------------------------------------------------


@op(
    vjp={
        "x": lambda g, x_shape, kernel, dilation, padding, stride: col2im(
            g, size=x_shape[2:], kernel=kernel, dilation=dilation, padding=padding, stride=stride)
    },
    linear_in=("x",),
    batch=Fold(("x",)),
    node="Im2ColBackward0",
)  # fmt: skip
def im2col(x, *, kernel, dilation, padding, stride):
    """The windows of images (N, C, H, W) as columns (N, C * KH * KW, positions)."""
    return arrays.windows_as_columns(x, kernel, dilation, padding, stride)


@op(
    vjp={
        "y": lambda g, kernel, dilation, padding, stride: im2col(
            g, kernel=kernel, dilation=dilation, padding=padding, stride=stride)
    },
    linear_in=("y",),
    batch=Fold(("y",)),
    node="Col2ImBackward0",
)  # fmt: skip
def col2im(y, *, size, kernel, dilation, padding, stride):
    """Columns added back into images: the transpose of im2col."""
    return arrays.columns_into_image(y, size, kernel, dilation, padding, stride)
