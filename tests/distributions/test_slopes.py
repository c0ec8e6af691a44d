"""Draws of gamma, beta and Dirichlet variables move with their parameters along the quantile."""

import numpy as np
import pytest
from scipy import special

import chainrule as torch
from chainrule.autograd.dispatch import P
from chainrule.distributions import Beta, Dirichlet, Gamma

ALPHA = np.array([1e-2, 0.1, 0.5, 0.99, 1.0, 2.5, 10.0, 300.0, 1e4])
QUANTILES = np.array([1e-4, 0.01, 0.3, 0.5, 0.8, 0.99, 0.9999])


def difference(f, a, step):
    """The derivative of a quantile function by its parameter, to fourth order."""
    return (8 * (f(a + step) - f(a - step)) - (f(a + 2 * step) - f(a - 2 * step))) / (12 * step)


@pytest.mark.parametrize("alpha", ALPHA)
def test_gamma_slope_is_that_of_the_quantile(alpha):
    x = special.gammaincinv(alpha, QUANTILES)
    keep = x > 1e-290
    # By the logarithm, which changes smoothly even where x is 1e-200.
    log_quantile = lambda a: np.log(special.gammaincinv(a, QUANTILES))  # noqa: E731
    wanted = x * difference(log_quantile, alpha, alpha * 1e-3)
    found = P.gamma_slope(torch.tensor(alpha, dtype=torch.float64), torch.tensor(x)).numpy()
    np.testing.assert_allclose(found[keep], wanted[keep], rtol=2e-5)


@pytest.mark.parametrize("a", [0.3, 1.0, 4.0, 50.0])
@pytest.mark.parametrize("b", [0.4, 2.0, 70.0])
def test_dirichlet_slope_is_that_of_the_beta_quantile(a, b):
    below = QUANTILES[:-1]  # the last is so close to 1 that the difference has no digits left
    x = special.betaincinv(a, b, below)
    wanted = difference(lambda s: special.betaincinv(s, b, below), a, a * 1e-3) / (1 - x)
    alpha = torch.tensor([a, b], dtype=torch.float64).expand(len(x), 2)
    rows = torch.tensor(np.stack([x, 1 - x], -1))
    found = P.dirichlet_slope(alpha, rows)[:, 0].numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_slopes_are_gradients_of_expectations():
    """E[x] of a gamma is its concentration, so the slopes average to one."""
    torch.manual_seed(0)
    a = torch.full((20_000,), 2.0, requires_grad=True)
    Gamma(a, 1.0).rsample().sum().backward()
    assert a.grad.mean().item() == pytest.approx(1, abs=0.02)
    c = torch.full((20_000, 3), 2.0, requires_grad=True)
    Dirichlet(c).rsample()[:, 0].sum().backward()
    # The mean a / (a + b + c) has the derivatives (b + c) / 36, -a / 36, -a / 36.
    assert c.grad.mean(0).tolist() == pytest.approx([4 / 36, -2 / 36, -2 / 36], abs=3e-3)


def test_forward_mode_agrees():
    c = torch.tensor([0.5, 2.0, 3.0], dtype=torch.float64)
    t = torch.tensor([1.0, -0.5, 0.3], dtype=torch.float64)

    def draw(x):
        torch.manual_seed(0)
        return Dirichlet(x).rsample()

    _, tangent = torch.func.jvp(draw, (c,), (t,))
    jacobian = torch.autograd.functional.jacobian(draw, c)
    assert torch.allclose(tangent, jacobian @ t)
    assert torch.allclose(jacobian.sum(0), torch.zeros(3, dtype=torch.float64), atol=1e-12)


def test_tiny_shapes_stay_finite():
    torch.manual_seed(0)
    a = torch.tensor([1e-3, 1e-2, 1e5], requires_grad=True)
    Gamma(a, 1.0).rsample((50,)).sum().backward()
    assert torch.isfinite(a.grad).all()
    b = torch.tensor([1e-2, 1e-2], requires_grad=True)
    Beta(b[:1], b[1:]).rsample((50,)).sum().backward()
    assert torch.isfinite(b.grad).all()


def test_wishart_samples_have_the_right_mean():
    torch.manual_seed(0)
    scale = torch.tensor([[2.0, 0.3], [0.3, 1.0]], requires_grad=True)
    w = torch.distributions.Wishart(torch.tensor(5.0), scale)
    draws = w.rsample((4000,))
    assert torch.allclose(draws.mean(0), w.mean, atol=0.3)
    draws.mean(0).trace().backward()
    assert torch.allclose(scale.grad.diagonal(), torch.tensor([5.0, 5.0]), atol=0.3)


def test_divergences_pytorch_gets_wrong():
    """KL(p || uniform) is log(width) - entropy where p lies inside, by the definition."""
    p = torch.distributions.ContinuousBernoulli(torch.tensor(0.3))
    q = torch.distributions.Uniform(-1.0, 2.0)
    x = torch.linspace(1e-4, 1 - 1e-4, 20_001)
    wanted = ((p.log_prob(x) - q.log_prob(x)) * p.log_prob(x).exp()).mean()
    assert torch.distributions.kl_divergence(p, q).item() == pytest.approx(wanted.item(), rel=1e-3)
    inside = torch.distributions.Uniform(0.2, 0.6)
    wanted = -torch.log(torch.tensor(0.4)) - p.log_prob(torch.linspace(0.2, 0.6, 20_001)).mean()
    found = torch.distributions.kl_divergence(inside, p)
    assert found.item() == pytest.approx(wanted.item(), rel=1e-3)
    assert torch.distributions.kl_divergence(q, p).item() == float("inf")
