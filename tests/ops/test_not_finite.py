"""One number that is none reaches the results that it has a part in, and no others."""

import math

import pytest

import chainrule as torch

F = torch.nn.functional
NAN, INF = math.nan, math.inf


def places(t):
    """The flat numbers of the elements that are not finite."""
    return (~t.isfinite()).flatten().nonzero().flatten().tolist()


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_resampling(value, dtype):
    line = torch.arange(6.0).to(dtype).reshape(1, 1, 6)
    line[0, 0, 1] = value
    assert places(F.interpolate(line, size=4, mode="area")) == [0, 1]
    assert places(F.interpolate(line, size=9, mode="area")) == [1, 2]
    assert places(F.interpolate(line, size=4, mode="linear")) == [0, 1]
    assert places(F.interpolate(line, size=9, mode="linear")) == [1, 2, 3]
    image = torch.arange(36.0).to(dtype).reshape(1, 1, 6, 6)
    image[0, 0, 1, 1] = value
    assert places(F.adaptive_avg_pool2d(image, 4)) == [0, 1, 4, 5]
    assert places(F.interpolate(image, size=4, mode="bilinear")) == [0, 1, 4, 5]
    assert places(F.interpolate(image, size=4, mode="bilinear", antialias=True)) == [0, 1, 4, 5]
    assert places(F.interpolate(image, size=4, mode="bicubic")) == [0, 1, 4, 5]


@pytest.mark.parametrize("value", [NAN, INF])
def test_gradients_of_resampling(value):
    image = torch.zeros(1, 1, 6, 6, requires_grad=True)
    arriving = torch.ones(1, 1, 4, 4)
    arriving[0, 0, 0, 0] = value
    F.adaptive_avg_pool2d(image, 4).backward(arriving)
    assert places(image.grad) == [0, 1, 6, 7]
    image.grad = None
    F.interpolate(image, size=4, mode="bilinear").backward(arriving)
    assert places(image.grad) == [0, 1, 6, 7]


def test_points_that_are_nowhere_lie_on_the_border():
    x = torch.arange(1.0, 10.0).reshape(1, 1, 3, 3)
    grid = torch.tensor([[[[NAN, 0.5], [0.5, NAN], [NAN, NAN], [0.0, INF]]]])
    for padding, last in (("border", 8.0), ("reflection", 2.0)):
        got = F.grid_sample(x, grid, padding_mode=padding, align_corners=True)
        assert got.flatten().tolist() == [5.5, 2.5, 1.0, last]
        got = F.grid_sample(x, grid, "nearest", padding, align_corners=True)
        assert got.flatten().tolist() == [7.0, 3.0, 1.0, last]


def test_gradient_of_the_determinant():
    matrices = torch.eye(3).repeat(2, 1, 1)
    matrices[0, 0, 0] = NAN
    matrices.requires_grad_()
    torch.linalg.det(matrices).sum().backward()
    assert matrices.grad[0].isnan().all()
    assert torch.allclose(matrices.grad[1], torch.eye(3))


@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
def test_infinite_values_share_without_the_place_they_replace(name):
    """The neutral value of `amin` is infinity: it must not count as one more that is smallest."""
    x = torch.tensor([3.0, 5.0], requires_grad=True)
    values = torch.tensor([INF, INF, 7.0], requires_grad=True)
    got = getattr(x, name)(0, torch.tensor([0, 0, 1]), values, "amin", include_self=False)
    got.backward(torch.tensor([1.0, 2.0]))
    assert got.tolist() == [INF, 7.0]
    assert values.grad.tolist() == [0.5, 0.5, 2.0]
    assert x.grad.tolist() == [0.0, 0.0]


def test_no_integers_over_zero():
    empty = torch.zeros(0, dtype=torch.int64)
    for y in (empty // 0, empty % 0, torch.remainder(empty, torch.tensor(0))):
        assert y.shape == (0,) and y.dtype is torch.int64
