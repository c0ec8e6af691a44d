"""Losses of tensors under SciPy's minimisers: exact derivatives, results in the parameters."""

import numpy as np
import pytest
from scipy import optimize

import chainrule as torch
from chainrule.interop.scipy import Objective, minimize


def double(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def rosenbrock(x):
    return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()


START = (-1.2, 1.0, 0.5)


def test_values_gradients_and_hessians_are_those_of_scipys_own_rosenbrock():
    x = double(*START)
    objective = Objective(lambda: rosenbrock(x), x)
    at, v = np.array([0.3, -0.7, 1.1]), np.array([1.0, -2.0, 0.5])
    value, gradient = objective.value_and_gradient(at)
    assert value == pytest.approx(optimize.rosen(at), rel=1e-14)
    np.testing.assert_allclose(gradient, optimize.rosen_der(at), rtol=1e-13)
    np.testing.assert_allclose(objective.hessian(at), optimize.rosen_hess(at), rtol=1e-13)
    np.testing.assert_allclose(
        objective.hessian_product(at, v), optimize.rosen_hess_prod(at, v), rtol=1e-12
    )
    assert x.grad is None


METHODS = [
    None, "Nelder-Mead", "Powell", "CG", "BFGS", "Newton-CG", "L-BFGS-B", "TNC", "COBYLA", "SLSQP",
    "trust-constr", "trust-ncg", "trust-krylov",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")
@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_minimum_and_leaves_it_in_the_parameters(method):
    a, b = double(3.0), double(-1.0, 2.0)

    def loss():
        return (a - 1).square().sum() + (b - a).square().sum() + (a * b).sum().cosh() * 1e-3

    found = minimize(loss, [a, b], method=method)
    np.testing.assert_array_equal(found.x, torch.cat([a, b]).detach().numpy())
    slope = torch.autograd.grad(loss(), [a, b])
    assert max(float(g.abs().max()) for g in slope) < 5e-3
    assert float(loss()) == pytest.approx(found.fun, abs=1e-12)


@pytest.mark.parametrize("method", ["dogleg", "trust-exact"])
def test_methods_that_want_the_whole_hessian_get_it(method):
    x = double(4.0, -2.0)
    found = minimize(lambda: (x**4).sum() / 4 + (x**2).sum(), x, method=method)
    assert found.success and float(x.detach().abs().max()) < 1e-5


def test_the_hessian_saves_gradients():
    x, y = double(*START), double(*START)
    with_products = minimize(lambda: rosenbrock(x), x, method="trust-krylov")
    without = minimize(lambda: rosenbrock(y), y, method="CG")
    assert with_products.nfev < without.nfev / 3
    np.testing.assert_allclose(x.detach().numpy(), 1.0, rtol=1e-6)


def test_a_module_trains_with_bounds_kept():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x = torch.randn(40, 2)
    y = x[:, :1] * x[:, 1:]
    count = sum(p.numel() for p in model.parameters())

    def loss():
        return torch.nn.functional.mse_loss(model(x), y)

    before = loss().item()
    minimize(loss, model.parameters(), method="L-BFGS-B", bounds=[(-1.5, 1.5)] * count)
    assert loss().item() < before / 20
    assert all(p.abs().max() <= 1.5 for p in model.parameters())
    assert all(p.dtype is torch.float32 and p.grad is None for p in model.parameters())


def test_parameters_that_are_complex_unused_or_given_twice():
    z = torch.tensor([1 + 2j, -1j], dtype=torch.complex128, requires_grad=True)
    idle = double(7.0)
    goal = torch.tensor([0.5 - 1j, 2 + 0j])
    found = minimize(lambda: (z - goal).abs().square().sum(), [z, idle, z], method="BFGS")
    assert found.x.shape == (5,)
    np.testing.assert_allclose(z.detach().numpy(), goal.numpy(), atol=1e-6)
    assert idle.item() == 7.0
    objective = Objective(lambda: (z * z * z.conj()).abs().sum(), z)
    at, h = objective.x0 + 0.1, 1e-6
    steps = np.eye(4) * h
    rows = [(objective.value_and_gradient(at + s)[1] - objective.value_and_gradient(at - s)[1])
            / (2 * h) for s in steps]  # fmt: skip
    np.testing.assert_allclose(objective.hessian(at), rows, atol=1e-6)


def test_callbacks_see_the_parameters():
    x, seen = double(*START), []

    def callback(intermediate_result):
        seen.append(float(rosenbrock(x).detach()))
        assert seen[-1] == pytest.approx(intermediate_result.fun)
        if len(seen) == 3:
            raise StopIteration

    minimize(lambda: rosenbrock(x), x, method="BFGS", callback=callback)
    assert len(seen) == 3 and seen[2] < seen[0]

    points = []
    minimize(lambda: rosenbrock(x), x, method="CG", callback=lambda xk: points.append(
        np.array_equal(xk, x.detach().numpy())))  # fmt: skip
    assert points and all(points)


def test_it_works_where_gradients_are_off():
    x = double(3.0)
    with torch.no_grad():
        assert minimize(lambda: (x - 2).square().sum(), x).success
    assert x.item() == pytest.approx(2.0)


def test_a_linear_loss_has_a_hessian_of_zeros():
    x = double(1.0, 2.0)
    assert Objective(lambda: x.sum(), x).hessian([0.0, 0.0]).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("params", "loss", "text"),
    [
        ([], lambda x: x.sum(), "empty parameter list"),
        (["x"], lambda x: x.sum(), "parameter 0 is str"),
        (torch.ones(2), lambda x: x.sum(), "without requires_grad"),
        (double(1.0) * 2, lambda x: x.sum(), "the result of an operation"),
        (double(1.0, 2.0), lambda x: x * 2, "one element, not a tensor of shape \\[2\\]"),
        (double(1.0), lambda x: 3.0, "one element, not float"),
        (double(1.0), lambda x: x.detach().sum(), "does not depend on the parameters"),
    ],
)
def test_what_cannot_be_minimised_says_why(params, loss, text):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=text):
        minimize(lambda: loss(params), params, method="BFGS")


def test_a_vector_of_another_length_is_refused():
    x = double(1.0, 2.0)
    with pytest.raises(ValueError, match="2 numbers, not a vector of shape \\(3,\\)"):
        Objective(lambda: x.sum(), x).value([1.0, 2.0, 3.0])


def test_least_squares_with_the_exact_jacobian_and_bounds():
    from chainrule.interop.scipy import Residuals, least_squares

    t = torch.linspace(0, 1, 8, dtype=torch.float64)
    scale = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    rate = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    residuals = lambda: scale * torch.exp(rate * t) - 2 * torch.exp(-3 * t)  # noqa: E731
    problem = Residuals(residuals, [scale, rate])
    expected = np.stack([np.exp(0.5 * t.numpy()), t.numpy() * np.exp(0.5 * t.numpy())], 1)
    np.testing.assert_allclose(problem.jacobian(problem.x0), expected)
    found = least_squares(residuals, [scale, rate])
    assert found.success and found.nfev < 30
    np.testing.assert_allclose([scale.item(), rate.item()], [2, -3], rtol=1e-6)
    with torch.no_grad():
        rate.fill_(-0.5)
    least_squares(residuals, [scale, rate], bounds=([0, -1], [5, 0]))
    assert -1 <= rate.item() <= 0


def test_roots_of_systems():
    from chainrule.interop.scipy import root

    for method in ("hybr", "lm", "krylov"):
        x = torch.tensor([1.5, 0.5], dtype=torch.float64, requires_grad=True)
        system = lambda x=x: torch.stack([x[0] * x[1] - 2, x[0] - x[1] - 1])  # noqa: E731
        assert root(system, x, method=method).success
        np.testing.assert_allclose(x.detach().numpy(), [2, 1], rtol=1e-5)
    with pytest.raises(TypeError, match="the residuals must be a tensor of real numbers, not list"):
        root(lambda: [1.0], x)
