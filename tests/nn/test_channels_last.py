"""Layers keep images with channels last in memory, and draw the same numbers for every format."""

from __future__ import annotations

import pytest

import chainrule as torch
from chainrule.nn import functional as F


def image(nd: int = 2) -> torch.Tensor:
    last = torch.channels_last if nd == 2 else torch.channels_last_3d
    return torch.randn(2, 4, *(6,) * nd).contiguous(memory_format=last)


def has_channels_last(x: torch.Tensor) -> bool:
    last = torch.channels_last if x.ndim == 4 else torch.channels_last_3d
    return x.is_contiguous(memory_format=last) and not x.is_contiguous()


LAYERS = {
    "conv": lambda x: F.conv2d(x, torch.ones(3, 4, 3, 3)),
    "conv_transpose": lambda x: F.conv_transpose2d(x, torch.ones(4, 3, 3, 3), torch.ones(3)),
    "max_pool": lambda x: F.max_pool2d(x, 2),
    "max_pool3": lambda x: F.max_pool2d(x, 3, 1, 1),
    "avg_pool": lambda x: F.avg_pool2d(x, 2),
    "adaptive_avg": lambda x: F.adaptive_avg_pool2d(x, 4),
    "adaptive_max": lambda x: F.adaptive_max_pool2d(x, 4),
    "lp_pool": lambda x: F.lp_pool2d(x, 2.0, 2),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "group_norm": lambda x: F.group_norm(x, 2),
    "local_response_norm": lambda x: F.local_response_norm(x, 2),
    "dropout": lambda x: F.dropout(x, 0.5),
    "dropout2d": lambda x: F.dropout2d(x, 0.5),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "bilinear": lambda x: F.interpolate(x, size=(3, 4), mode="bilinear"),
    "bicubic": lambda x: F.interpolate(x, size=(9, 9), mode="bicubic"),
    "area": lambda x: F.interpolate(x, size=(4, 4), mode="area"),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1)),
    "pad_cut": lambda x: F.pad(x, (-1, 2)),
    "reflect": lambda x: F.pad(x, (1, 2, 0, 1), mode="reflect"),
    "replicate": lambda x: F.pad(x, (1, 2, 0, 1), mode="replicate"),
    "pixel_shuffle": lambda x: F.pixel_shuffle(torch.cat([x, x], 1), 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
    "cat": lambda x: torch.cat([x, x], 1),
    "flip": lambda x: x.flip(1),
    "relu": F.relu,
    "gelu": F.gelu,
    "prelu": lambda x: F.prelu(x, torch.ones(4)),
    "bias": lambda x: x * 2 + torch.ones(4, 1, 1),
}
UNLIKE_ITSELF = {"dropout", "dropout2d"}


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_keeps_channels_last(name):
    x, layer = image(), LAYERS[name]
    out = layer(x)
    assert has_channels_last(out)
    if name not in UNLIKE_ITSELF:
        torch.testing.assert_close(out, layer(x.contiguous()))


@pytest.mark.parametrize("name", ["conv", "max_pool", "nearest", "pad", "cat"])
def test_a_layer_keeps_c_order(name):
    assert LAYERS[name](image().contiguous()).is_contiguous()


VOLUMES = {
    "conv": lambda x: F.conv3d(x, torch.ones(3, 4, 3, 3, 3)),
    "max_pool": lambda x: F.max_pool3d(x, 2),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "trilinear": lambda x: F.interpolate(x, size=(3, 3, 4), mode="trilinear"),
    "replicate": lambda x: F.pad(x, (1, 1, 0, 1, 2, 0), mode="replicate"),
}


@pytest.mark.parametrize("name", VOLUMES)
def test_volumes_keep_channels_last(name):
    x, layer = image(3), VOLUMES[name]
    out = layer(x)
    assert has_channels_last(out)
    torch.testing.assert_close(out, layer(x.contiguous()))


def test_the_weight_decides_too():
    weight = torch.randn(3, 4, 3, 3).contiguous(memory_format=torch.channels_last)
    assert has_channels_last(F.conv2d(torch.randn(2, 4, 6, 6), weight))


def test_positions_of_maxima_lie_as_the_maxima():
    x = image()
    values, positions = F.max_pool2d(x, 2, return_indices=True)
    assert has_channels_last(positions)
    assert torch.equal(positions, F.max_pool2d(x.contiguous(), 2, return_indices=True)[1])
    assert has_channels_last(F.max_unpool2d(values, positions, 2))


def test_a_model_trains_alike_in_both_formats():
    def step(last: bool):
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
            torch.nn.MaxPool2d(2), torch.nn.Conv2d(4, 2, 1), torch.nn.AdaptiveAvgPool2d(2),
        )  # fmt: skip
        x = torch.randn(2, 3, 6, 6)
        if last:
            model, x = (
                model.to(memory_format=torch.channels_last),
                x.to(memory_format=torch.channels_last),
            )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        for _ in range(2):
            out = model(x)
            optimizer.zero_grad()
            out.square().mean().backward()
            optimizer.step()
        return out, list(model.parameters())

    out, parameters = step(True)
    plain_out, plain = step(False)
    assert has_channels_last(out)
    torch.testing.assert_close(out, plain_out)
    for a, b in zip(parameters, plain, strict=True):
        torch.testing.assert_close(a, b, check_stride=False)


def test_compiled_layers_take_channels_last():
    model = torch.nn.Sequential(torch.nn.Conv2d(4, 3, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2))
    x = image()
    compiled = torch.compile(model)
    for _ in range(3):
        torch.testing.assert_close(compiled(x), model(x))


# ---- random numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Conv2d", "ConvTranspose2d"])
def test_a_convolution_is_drawn_alike_in_every_format(kind):
    layer = getattr(torch.nn, kind)(4, 6, 3)
    torch.manual_seed(3)
    layer.reset_parameters()
    expected = layer.weight.detach().clone()
    layer = layer.to(memory_format=torch.channels_last)
    torch.manual_seed(3)
    layer.reset_parameters()
    assert has_channels_last(layer.weight)
    assert torch.equal(layer.weight, expected)


def test_a_convolution_without_inputs_has_a_bias_of_zeros():
    with pytest.warns(UserWarning, match="zero-element tensors"):
        layer = torch.nn.Conv2d(0, 3, 2)
    assert torch.equal(layer.bias, torch.zeros(3))


def test_draws_for_each_probability_follow_memory():
    # As every filling draw: the first element in memory gets the first number.
    p = torch.rand(3, 4)
    torch.manual_seed(1)
    expected = torch.empty(4, 3).bernoulli_(p.t().contiguous()).t()
    torch.manual_seed(1)
    assert torch.equal(torch.empty(4, 3).t().bernoulli_(p), expected)
    torch.manual_seed(1)
    drawn = torch.multinomial(torch.full((10, 3), 0.5).t(), 3)
    # PyTorch 2.13's value
    assert drawn.tolist() == [[0, 5, 1], [8, 0, 4], [4, 1, 8]]


def test_gradients_lie_as_their_parameters():
    layer = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    for _ in range(2):
        layer(torch.randn(1, 3, 5, 5)).sum().backward()
        assert has_channels_last(layer.weight.grad)
    x = torch.randn(4, 3).t().requires_grad_()
    (x * torch.ones(3, 4)).sum().backward()
    assert x.grad.stride() == (1, 3)
    part = torch.randn(4, 6)[:, ::2].requires_grad_()  # with gaps: in C order
    (part * torch.ones(4, 3)).sum().backward()
    assert part.grad.stride() == (3, 1)
