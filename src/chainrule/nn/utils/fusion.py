"""A batch norm after a convolution or linear layer, folded into the layer's weights."""

from __future__ import annotations

import copy
from typing import Any

import chainrule as torch

from ...autograd.accidents import explain_module
from ...tensor import Parameter, Tensor


def _scale(bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None) -> Tensor:
    """What the norm multiplies each channel by."""
    factor = torch.rsqrt(bn_rv + bn_eps)
    return factor if bn_w is None else bn_w * factor


def _shifted(
    bias: Tensor | None, bn_rm: Tensor, scale: Tensor, bn_b: Tensor | None, like: Tensor
) -> Tensor:
    """The bias of the fused layer."""
    bias = torch.zeros_like(bn_rm) if bias is None else bias
    moved = (bias - bn_rm) * scale
    return (moved if bn_b is None else moved + bn_b).to(like.dtype)


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """(weight, bias) of the convolution that also does the norm."""
    scale = _scale(bn_rv, bn_eps, bn_w)
    shape = [1, -1] if transpose else [-1, 1]
    weight = (conv_w * scale.reshape(shape + [1] * (conv_w.dim() - 2))).to(conv_w.dtype)
    bias = _shifted(conv_b, bn_rm, scale, bn_b, conv_w)
    wanted = conv_b is not None and conv_b.requires_grad
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, wanted)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """(weight, bias) of the linear layer that also does the norm."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _check_evaluating(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("Only support fusing BatchNorm with running_mean and running_var")


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what this one and the batch norm after it do in eval mode."""
    _check_evaluating(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias,
        transpose,
    )  # fmt: skip
    return fused


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that does what this one and the batch norm after it do in eval mode."""
    _check_evaluating(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1; got "
            f"{linear.out_features} and {bn.num_features}"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


explain_module(globals())
