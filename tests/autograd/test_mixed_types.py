"""Operands of several types: every way of differentiating is as exact as the result's type."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.func import grad, jacrev, jvp, vmap

VALUES, TANGENT, OTHER = [1.3, 2.7, 0.9], [0.3, 1.7, -0.9], [3, 6, 7]
FUNCTIONS = {
    "a / b": lambda x, b: x / b,
    "b / a": lambda x, b: b / x,
    "in place": lambda x, b: (x * 1).div_(b),
    "a ** b": lambda x, b: x**b,
    "b ** a": lambda x, b: b**x,
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "atan2": torch.atan2,
    "float_power": torch.float_power,
    "weighted cov": lambda x, b: torch.cov(
        torch.stack([x, x.sin()]),
        **({"aweights": b} if b.is_floating_point() else {"fweights": b}),
    ),
    "masked mean": lambda x, b: torch.masked.mean(x * b, 0, mask=torch.tensor([True, True, True])),
}


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.float32])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_transforms_are_as_exact_as_the_tape(name, dtype):
    x, t = (torch.tensor(v, dtype=torch.float64) for v in (VALUES, TANGENT))
    b = torch.tensor(OTHER, dtype=dtype)

    def total(x):
        return (FUNCTIONS[name](x, b) * 1.1).sum()

    leaf = x.clone().requires_grad_()
    (want,) = torch.autograd.grad(total(leaf), leaf)
    wide = x.clone().requires_grad_()  # the same with an operand that has the result's type
    b = b if dtype is not torch.float32 else b.double()
    (exact,) = torch.autograd.grad(total(wide), wide)
    b = torch.tensor(OTHER, dtype=dtype)
    close = {"rtol": 1e-14, "atol": 1e-14}
    np.testing.assert_allclose(want.numpy(), exact.numpy(), **close)
    np.testing.assert_allclose(grad(total)(x).numpy(), want.numpy(), **close)
    np.testing.assert_allclose(jacrev(total)(x).numpy(), want.numpy(), **close)
    np.testing.assert_allclose(jvp(total, (x,), (t,))[1].item(), (want * t).sum().item(), **close)
    both = vmap(grad(total))(torch.stack([x, x]))
    np.testing.assert_allclose(both[1].numpy(), want.numpy(), **close)
