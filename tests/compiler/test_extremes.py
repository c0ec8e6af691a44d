"""Places of the largest and smallest in a compiled plan: eager code's, also of NaN and of ties."""

import numpy as np
import pytest

import chainrule as torch


def places(x):
    high, at_high = x.max(1)
    low, at_low = x.min(0, keepdim=True)
    middle, at_middle = x.median(1)
    return high, at_high, low, at_low, middle, at_middle, x.argmax(0), x.argmin(1, keepdim=True)


def compiled_to_loops(function, *args):
    made = torch.compile(function, fullgraph=True)
    for _ in range(3):
        found = made(*args)
    return found, str(made.explain())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32])
def test_places_of_extremes(dtype):
    x = torch.tensor(np.random.default_rng(0).integers(-9, 9, (6, 40))).to(dtype)
    if dtype.is_floating_point:
        x[2, 3] = x[2, 9] = x[5, 0] = float("nan")
        x[3] = float("inf")
        x[4] = -float("inf")
    found, plan = compiled_to_loops(places, x)
    for a, b in zip(found, places(x), strict=True):
        assert a.dtype is b.dtype
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    if dtype is not torch.int32:  # whose sums are of another type
        assert "extern arg" not in plan and "extern max_at" not in plan


def test_the_gradient_goes_to_one_place():
    x = torch.tensor([[1.0, 3.0, 3.0], [float("nan"), 2.0, 1.0]], requires_grad=True)

    def step(x):
        (gradient,) = torch.autograd.grad((x.max(1).values * 2).sum(), x)
        return gradient

    found, plan = compiled_to_loops(step, x)
    np.testing.assert_array_equal(found.numpy(), [[0, 2, 0], [2, 0, 0]])
    assert "extern scatter_sum" not in plan


def test_tangents_of_extremes_are_taken_at_the_place():
    """The tangent's own largest element would be another one."""
    x, t = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[9.0, -1.0, 4.0]])

    def tangent(x, t):
        return torch.func.jvp(lambda x: x.max(1).values, (x,), (t,))[1]

    found, _ = compiled_to_loops(tangent, x, t)
    assert found.tolist() == [-1.0]
