"""Python numbers as operands: gradients keep their type and their precision."""

import numpy as np
import pytest

import chainrule as torch

WITH_NUMBERS = {
    "mul": lambda x: x * 2.5,
    "rdiv": lambda x: 3.0 / x,
    "pow": lambda x: x**2.5,
    "rpow": lambda x: 2.0**x,
    "xlogy": lambda x: torch.xlogy(x, 3.0),
    "xlog1py": lambda x: torch.special.xlog1py(x, 2.0),
    "fmod": lambda x: torch.fmod(x, 0.7),
    "remainder": lambda x: torch.remainder(x, 0.7),
    "clamp": lambda x: x.clamp(0.6, 2.0),
    "where": lambda x: torch.where(x > 1, x, 3.0),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_type_and_precision(name, dtype):
    f = WITH_NUMBERS[name]
    x = torch.tensor([0.5, 1.5], dtype=dtype, requires_grad=True)
    assert f(x).dtype is dtype
    (plain,) = torch.autograd.grad(f(x).sum(), x)
    (recorded,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    assert plain.dtype is dtype and recorded.dtype is dtype
    tolerance = 1e-6 if dtype is torch.float32 else 1e-14
    np.testing.assert_allclose(recorded.detach().numpy(), plain.numpy(), rtol=tolerance)
