"""interpolate(mode="lanczos"): the widest of the filters that shrink without aliasing."""

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F


def test_values_are_pytorchs() -> None:
    x = torch.arange(64.0).reshape(1, 1, 8, 8).sin()
    found = F.interpolate(x, size=(2, 2), mode="lanczos", antialias=True)
    expected = torch.tensor([[[[0.0104, 0.0007], [0.0072, -0.0180]]]])  # PyTorch 2.13's values
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


def test_constants_stay_and_gradients_are_right() -> None:
    flat = torch.full((1, 1, 7, 9), 3.0)
    grown = F.interpolate(flat, size=(11, 4), mode="lanczos", antialias=True)
    torch.testing.assert_close(grown, torch.full((1, 1, 11, 4), 3.0))
    x = torch.randn(1, 1, 5, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda x: F.interpolate(x, size=(3, 7), mode="lanczos", antialias=True), x
    )


def test_it_is_refused_without_antialias_and_with_aligned_corners() -> None:
    x = torch.zeros(1, 1, 8, 8)
    with pytest.raises(ValueError, match="Lanczos mode requires antialias=True"):
        nn.Upsample(size=2, mode="lanczos")(x)
    with pytest.raises(ValueError, match="Lanczos mode does not support align_corners=True"):
        F.interpolate(x, size=2, mode="lanczos", antialias=True, align_corners=True)


def test_instance_norm_keeps_statistics_of_another_type() -> None:
    layer = nn.InstanceNorm2d(3, track_running_stats=True)
    out = layer(torch.full((2, 3, 4, 4), 5.0, dtype=torch.float64))
    assert out.dtype is torch.float64 and layer.running_mean.dtype is torch.float32
    assert layer.running_mean.tolist() == [0.5, 0.5, 0.5]
