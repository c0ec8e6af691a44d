"""How gradients lie in memory."""

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F


def test_gradients_of_images_with_channels_last_lie_as_they_do() -> None:
    x = torch.randn(2, 4, 6, 8).to(memory_format=torch.channels_last).requires_grad_()
    kernel = torch.randn(6, 4, 3, 3)
    for function in (
        lambda x: F.conv2d(x, kernel),
        lambda x: F.adaptive_max_pool2d(x, 3),
        lambda x: F.rms_norm(x, (4, 6, 8)),
        lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
    ):
        (grad,) = torch.autograd.grad(function(x).square().sum(), x)
        assert grad.is_contiguous(memory_format=torch.channels_last)


def test_the_gradient_of_a_weight_with_channels_last_lies_as_it_does() -> None:
    layer = nn.Conv2d(4, 6, 3).to(memory_format=torch.channels_last)
    x = torch.randn(2, 4, 6, 8).to(memory_format=torch.channels_last)
    layer(x).square().sum().backward()
    assert layer.weight.grad.is_contiguous(memory_format=torch.channels_last)


def test_the_gradient_of_a_mean_pooled_row_is_in_c_order() -> None:
    x = torch.randn(1, 3, 5).requires_grad_()
    (grad,) = torch.autograd.grad(F.adaptive_avg_pool1d(x, 1).sum(), x)
    assert grad.is_contiguous() and grad.flatten().tolist() == pytest.approx([0.2] * 15)
