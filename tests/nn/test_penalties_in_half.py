"""Gradient penalties of layers in half precision."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn

LAYERS = {
    "batch_norm": (lambda: nn.BatchNorm1d(3), (4, 3)),
    "batch_norm_2d": (lambda: nn.BatchNorm2d(3, affine=False), (2, 3, 2, 2)),
    "instance_norm": (lambda: nn.InstanceNorm1d(3, affine=True), (2, 3, 5)),
    "group_norm": (lambda: nn.GroupNorm(1, 3), (2, 3, 4)),
    "layer_norm": (lambda: nn.LayerNorm(4), (2, 4)),
    "rms_norm": (lambda: nn.RMSNorm(4), (2, 4)),
    "linear": (lambda: nn.Linear(3, 2), (4, 3)),
    "conv": (lambda: nn.Conv2d(2, 3, 2), (1, 2, 4, 4)),
    "conv_transpose_1d": (lambda: nn.ConvTranspose1d(2, 3, 2), (1, 2, 4)),
    "conv_transpose_2d": (lambda: nn.ConvTranspose2d(2, 3, 2, stride=2), (1, 2, 3, 3)),
    "conv_transpose_3d": (lambda: nn.ConvTranspose3d(1, 2, 2, bias=False), (1, 1, 2, 2, 2)),
    "lstm": (lambda: nn.LSTM(3, 2), (4, 1, 3)),
}


def penalty(layer, x):
    """The gradients of a gradient's square, by the input and all parameters."""
    made = layer(x)
    made = made if isinstance(made, torch.Tensor) else made[0]
    inputs = [x, *layer.parameters()]
    weights = torch.linspace(-1, 2, made.numel()).reshape(made.shape)
    loss = (made.float() ** 2 * weights).sum()
    grads = torch.autograd.grad(loss, inputs, create_graph=True, allow_unused=True)
    loss = sum((g.float() ** 2).sum() for g in grads if g is not None)
    return torch.autograd.grad(loss, inputs, allow_unused=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", LAYERS)
def test_close_to_single_precision(name, dtype):
    make, shape = LAYERS[name]
    torch.manual_seed(0)
    layer, x = make(), torch.rand(shape)
    wanted = penalty(layer.float(), x.to(dtype).float().requires_grad_())
    layer = layer.to(dtype)
    made = penalty(layer, x.to(dtype).requires_grad_())
    for got, want in zip(made, wanted, strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            scale = max(1.0, float(want.abs().max()))
            tolerance = scale * (0.03 if dtype is torch.float16 else 0.2)
            np.testing.assert_allclose(got.float().numpy(), want.numpy(), atol=tolerance)
