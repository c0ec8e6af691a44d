"""Compiled convolutions of single points: products of matrices with the numbers of eager code."""

import numpy as np
import pytest

import chainrule as torch

F = torch.nn.functional


def step(x, w, b):
    y = F.conv2d(x, w, b) if x.dim() == 4 else F.conv1d(x, w, b)
    y.square().sum().backward()
    return y


def eager_and_compiled(shape, outputs, bias=True, dtype=torch.float32, function=step):
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=dtype, requires_grad=True)
    w = torch.randn(outputs, shape[1], *[1] * (len(shape) - 2), dtype=dtype, requires_grad=True)
    b = torch.randn(outputs, dtype=dtype, requires_grad=True) if bias else None
    leaves = [t for t in (x, w, b) if t is not None]
    compiled = torch.compile(function)
    seen = []
    for run in (function, compiled, compiled, compiled):
        for leaf in leaves:
            leaf.grad = None
        seen.append([run(x, w, b).detach(), *(leaf.grad.clone() for leaf in leaves)])
    return seen[0], seen[-1]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    "shape", [(3, 5, 1, 1), (2, 7, 8, 8), (4, 12, 4, 4), (2, 3, 5, 7), (1, 4, 64), (2, 6, 1)]
)
def test_values_and_gradients_are_those_of_eager_code(shape, bias):
    eager, compiled = eager_and_compiled(shape, 9, bias, torch.float64)
    for one, other in zip(eager, compiled, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-11)


def test_half_precision_rounds_once():
    eager, compiled = eager_and_compiled((2, 8, 8, 8), 8, False, torch.bfloat16)
    for one, other in zip(eager, compiled, strict=True):
        torch.testing.assert_close(one, other, rtol=1.6e-2, atol=1.6e-2)


def test_bits_do_not_depend_on_threads():
    before, made = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            made.append(eager_and_compiled((6, 24, 16, 16), 40)[1])
    finally:
        torch.set_num_threads(before)
    for other in made[1:]:
        for one, same in zip(made[0], other, strict=True):
            assert np.array_equal(one.numpy(), same.numpy())
