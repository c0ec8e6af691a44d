"""Derivatives of special functions that PyTorch does not have, against difference quotients."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.ops.special import RECURRENCES

POSITIVE = np.array([0.4, 1.3, 2.7, 4.1])
ANY = np.array([-2.3, -0.7, 0.0, 0.6, 1.9])
STEP = 1e-3


def slope(function, x):
    """The fourth-order difference quotient."""
    at = lambda k: function(torch.tensor(x + k * STEP)).numpy()  # noqa: E731 - one line, used once
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * STEP)


def check(function, x):
    leaf = torch.tensor(x, requires_grad=True)
    value = function(leaf)
    (first,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), slope(function, x), rtol=1e-7, atol=1e-8)

    def gradient(y):
        y = y.detach().requires_grad_()
        return torch.autograd.grad(function(y).sum(), y)[0]

    (second,) = torch.autograd.grad(first.sum(), leaf)
    np.testing.assert_allclose(second.numpy(), slope(gradient, x), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", [
    "bessel_j0", "bessel_j1", "modified_bessel_i0", "modified_bessel_i1", "spherical_bessel_j0",
    "airy_ai",
])  # fmt: skip
def test_derivative_on_the_line(name):
    check(getattr(torch.special, name), ANY)


@pytest.mark.parametrize("name", [
    "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1",
    "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
])  # fmt: skip
def test_derivative_on_the_half_line(name):
    check(getattr(torch.special, name), POSITIVE)


@pytest.mark.parametrize("family", sorted(RECURRENCES))
@pytest.mark.parametrize("degree", [0, 1, 4])
def test_derivative_of_a_polynomial(family, degree):
    check(lambda x: getattr(torch.special, family)(x, degree), np.array([-1.0, -0.4, 0.3, 1.0]))


def test_a_polynomial_of_nan_is_nan():
    # PyTorch returns the value at the previous element for some families.
    x = torch.tensor([2.0, float("nan")])
    assert torch.isnan(torch.special.legendre_polynomial_p(x, 3)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda a, x: torch.igamma(a, x), "igamma: input"),
        (lambda a, x: torch.igammac(a, x), "igammac: input"),
        (lambda a, x: torch.special.zeta(a + 1, x), "zeta"),
    ],
)
def test_an_unknown_derivative_is_an_error_not_a_zero(call, name):
    a = torch.tensor([0.5, 2.0], requires_grad=True)
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    with pytest.raises(NotImplementedError, match=f"the derivative for '{name}' is not"):
        call(a, x).sum().backward()
    call(a.detach(), x).sum().backward()
    assert torch.isfinite(x.grad).all()


def test_gamma_functions_agree_with_each_other():
    x = torch.tensor(POSITIVE, requires_grad=True)
    (slope_of_log,) = torch.autograd.grad(torch.lgamma(x).sum(), x)
    assert torch.allclose(slope_of_log, torch.digamma(x))
    assert torch.allclose(torch.polygamma(0, x), torch.digamma(x))
    assert torch.allclose(torch.lgamma(x + 1) - torch.lgamma(x), x.log())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("size", [1e-40, 1e-30, 1e-20, 1e-9, 1e-4, 1e-3])
def test_derivatives_close_to_zero_keep_their_digits(size, dtype):
    x = torch.tensor([size, -size], dtype=dtype, requires_grad=True)
    x64 = x.detach().double()
    sign = x64.sign()
    expected = {  # f(x) and the first terms of the series of f' and f''
        "i1": (0.5 + 3 / 16 * x64**2, 3 / 8 * x64),
        "i1e": (0.5 - abs(x64) + 15 / 16 * x64**2, -sign + 15 / 8 * x64),
        "bessel_j1": (0.5 - 3 / 16 * x64**2, -3 / 8 * x64),
        "spherical_bessel_j0": (-x64 / 3, -1 / 3 + x64**2 / 10),
    }
    for name, (first, second) in expected.items():
        (slope,) = torch.autograd.grad(getattr(torch.special, name)(x).sum(), x, create_graph=True)
        (curvature,) = torch.autograd.grad(slope.sum(), x)
        assert torch.allclose(slope.double(), first, rtol=1e-5, atol=1e-12), name
        assert torch.allclose(curvature.double(), second, rtol=1e-4, atol=1e-8), name
