"""symbolic(f): stated formulas of named functions, their derivatives, and how they are read."""

import itertools
import random

import numpy as np
import pytest

import chainrule as torch
from chainrule.derivatives import Formula, expression_growth
from chainrule.derivatives.meaning import NoFormula
from chainrule.nn import functional as F

from .wrong_functions import TripledSquare

# name: (function, its formula, its derivative's formula)
STATED = {
    "square": (lambda x: x**2, "x**2", "2*x"),
    "cube": (lambda x: x * x * x, "x**3", "3*x**2"),
    "reciprocal": (lambda x: 1 / x, "1/x", "-1/x**2"),
    "sqrt": (torch.sqrt, "sqrt(x)", "1/(2*sqrt(x))"),
    "exp": (torch.exp, "exp(x)", "exp(x)"),
    "log": (torch.log, "log(x)", "1/x"),
    "log2": (torch.log2, "log(x)/log(2)", "1/(x*log(2))"),
    "sin": (torch.sin, "sin(x)", "cos(x)"),
    "cos": (torch.cos, "cos(x)", "-sin(x)"),
    "tan": (torch.tan, "tan(x)", "tan(x)**2 + 1"),
    "asin": (torch.asin, "asin(x)", "1/sqrt(1 - x**2)"),
    "atan": (torch.atan, "atan(x)", "1/(x**2 + 1)"),
    "tanh": (torch.tanh, "tanh(x)", "1 - tanh(x)**2"),
    "sigmoid": (torch.sigmoid, "sigmoid(x)", "sigmoid(x)*(1 - sigmoid(x))"),
    "softplus": (F.softplus, "log(exp(x) + 1)", "exp(x)/(exp(x) + 1)"),
    "relu": (torch.relu, "relu(x)", "1 if x > 0 else 0"),
    "leaky relu": (
        lambda x: F.leaky_relu(x, 0.01),
        "x if x > 0 else 0.01*x",
        "1 if x > 0 else 0.01",
    ),
    "elu": (F.elu, "x if x > 0 else exp(x) - 1", "1 if x > 0 else exp(x)"),
    "silu": (F.silu, "x*sigmoid(x)", "sigmoid(x)*(x - x*sigmoid(x) + 1)"),
    "gelu": (
        F.gelu,
        "x*(erf(x/sqrt(2)) + 1)/2",
        "x*exp(-x**2/2)/sqrt(2*pi) + erf(x/sqrt(2))/2 + 1/2",
    ),
    "hardtanh": (
        F.hardtanh,
        "-1 if x < -1 else 1 if x > 1 else x",
        "0 if x < -1 or x > 1 else 1",
    ),
    "softsign": (F.softsign, "x/(abs(x) + 1)", "1/(abs(x) + 1)**2"),
    "sin of square": (lambda x: torch.sin(x**2), "sin(x**2)", "2*x*cos(x**2)"),
    "bell": (lambda x: torch.exp(-(x**2)), "exp(-x**2)", "-2*x*exp(-x**2)"),
    "x to the x": (lambda x: x**x, "x**x", "x**x*(log(x) + 1)"),
    "logistic map": (lambda x: 4 * x * (1 - x), "4*x*(1 - x)", "4 - 8*x"),
    "ratio": (lambda x: x / (1 + x), "x/(x + 1)", "1/(x + 1)**2"),
    "3(x+2)^2": (lambda x: 3 * (x + 2) ** 2, "3*(x + 2)**2", "6*(x + 2)"),
    "entropy": (lambda x: x * torch.log(x), "x*log(x)", "log(x) + 1"),
    "pythagoras": (lambda x: torch.sin(x) ** 2 + torch.cos(x) ** 2, "1", "0"),
    "error function": (torch.erf, "erf(x)", "2*exp(-x**2)/sqrt(pi)"),
}


@pytest.mark.parametrize("name", STATED)
def test_formula_and_derivative_print_as_stated(name):
    f, formula, slope = STATED[name]
    found = torch.symbolic(f)
    assert str(found) == formula
    assert str(found.derivative()) == slope


@pytest.mark.parametrize("name", STATED)
@pytest.mark.parametrize("at", [0.37, 0.91])
def test_formulas_have_the_value_and_slope_of_the_function(name, at):
    f = STATED[name][0]
    found = torch.symbolic(f)
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    y = f(x)
    y.backward()
    assert found(at) == pytest.approx(y.item(), rel=1e-12, abs=1e-14)
    assert found.derivative()(at) == pytest.approx(x.grad.item(), rel=1e-11, abs=1e-14)


ONE_ARGUMENT = [
    torch.sin, torch.cos, torch.tanh, torch.sigmoid, torch.exp, torch.relu, torch.abs, torch.atan,
    torch.erf, torch.expm1, F.silu, F.gelu, F.softplus, F.elu,
    lambda x: -x, lambda x: x**3, lambda x: 3 * x + 1, lambda x: 1 / (x * x + 1),
    lambda x: torch.log(x.abs() + 0.31), lambda x: torch.sqrt(x * x + 0.21),
    lambda x: x.clamp(-0.53, 0.81), lambda x: (x * x + 1) ** -1.5,
    lambda x: torch.where(x > 0.17, x, x * x),
]  # fmt: skip
TWO_ARGUMENTS = [
    torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum, torch.hypot,
    lambda a, b: a / (b * b + 1), lambda a, b: (a * a + 0.51) ** b,
]  # fmt: skip


def random_function(r, depth):
    """A random composition of operations of one variable."""
    if depth == 0:
        constant = round(r.uniform(-2, 2), 2)
        return r.choice([lambda x: x, lambda x: x, lambda x: x * 0 + constant])
    first = random_function(r, depth - 1)
    if r.random() < 0.5:
        f = r.choice(ONE_ARGUMENT)
        return lambda x: f(first(x))
    second, f = random_function(r, depth - 1), r.choice(TWO_ARGUMENTS)
    return lambda x: f(first(x), second(x))


@pytest.mark.parametrize("seed", range(120))
def test_random_functions_agree_with_automatic_derivatives(seed):
    f = random_function(random.Random(seed), 3)
    found = torch.symbolic(f, "x")
    slope = found.derivative()
    for at in (0.37, -0.83, 1.21):
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        y = f(x)
        (expected,) = torch.autograd.grad(y, x)
        assert found(at) == pytest.approx(y.item(), rel=1e-9, abs=1e-12, nan_ok=True)
        assert slope(at) == pytest.approx(expected.item(), rel=1e-8, abs=1e-11, nan_ok=True)


def test_second_derivatives_too():
    found = torch.symbolic(torch.tanh).derivative(order=2)
    x = torch.tensor(0.6, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(x.tanh(), x, create_graph=True)
    (curve,) = torch.autograd.grad(slope, x)
    assert found(0.6) == pytest.approx(curve.item(), rel=1e-12)


def test_several_variables_are_named_as_the_parameters():
    found = torch.symbolic(lambda x, w, b: (x * w + b) ** 2)
    assert str(found) == "(w*x + b)**2"
    slopes = found.gradient()
    assert {k: str(v) for k, v in slopes.items()} == {
        "x": "2*w*(w*x + b)",
        "w": "2*x*(w*x + b)",
        "b": "2*(w*x + b)",
    }
    assert {k: v(2, 3, 1) for k, v in slopes.items()} == {"x": 42.0, "w": 28.0, "b": 14.0}


def test_names_may_be_given():
    assert str(torch.symbolic(lambda a, b: a / b, "miles", "hours")) == "miles/hours"


def test_a_chain_of_business_figures_multiplies_out():
    def revenue(m):
        cost = 10 * m + 50
        return -5 * cost + 2000

    assert str(torch.symbolic(revenue).derivative()) == "-50"
    phones = torch.symbolic(lambda s: 0.1 * (1000 - 50 * s), "s")
    assert str(phones) == "0.1*(1000 - 50*s)"
    assert phones.derivative()(5) == -5.0


def test_known_chains_have_their_known_totals():
    def revenue(s):
        phones = 0.1 * (1000 - 50 * s)
        return 800 * phones - 0.01 * phones**2

    def followers(q):
        reach = 100 * torch.log(10 * q**2 + 1)
        return 0.05 * reach * (1 - reach / 10000)

    assert torch.symbolic(revenue).derivative()(5) == pytest.approx(-3992.5, rel=1e-12)
    assert torch.symbolic(followers).derivative()(8) == pytest.approx(1.0867, abs=5e-5)
    neuron = torch.symbolic(lambda w: (torch.sigmoid(2 * w + 0.1) - 1) ** 2)
    assert neuron(0.5) == pytest.approx(0.0624, abs=5e-5)
    assert neuron.derivative()(0.5) == pytest.approx(-0.1872, abs=5e-5)


def test_loops_in_place_writes_and_casts_are_read_through():
    def f(x):
        y = x.clone()
        for k in range(3):
            y.mul_(x).add_(k)
        return y.double().reshape(1).sum()

    found = torch.symbolic(f)
    assert found(2.0) == f(torch.tensor(2.0, dtype=torch.float64)).item()


def test_a_branch_on_a_value_is_taken_at_the_sample_point_and_noted():
    def f(x):
        return x * 2 if x > 0 else x * 3

    right, left = torch.symbolic(f), torch.symbolic(f, at={"x": -1.0})
    assert (str(right), str(left)) == ("2*x", "3*x")
    assert right.notes == ("x > 0 was taken as True",)
    assert left.notes == ("x > 0 was taken as False",)


def test_formulas_evaluate_on_arrays():
    found = torch.symbolic(F.elu)
    at = np.array([-1.0, 0.5])
    np.testing.assert_allclose(found(at), [np.exp(-1) - 1, 0.5], rtol=1e-14)


def test_equal_formulas_are_equal_and_printed_with_their_variables():
    a, b = torch.symbolic(lambda x: x + x), torch.symbolic(lambda x: 2 * x)
    assert a == b
    assert hash(a) == hash(b)
    assert repr(a) == "Formula(x -> 2*x)"
    assert isinstance(a, Formula)


@pytest.mark.parametrize(
    ("f", "phrase"),
    [
        (lambda x: torch.stack([x, x]).sum(), r"stack|cat.*|functions of scalars"),
        (lambda x: (x + torch.ones(3)).sum(), "functions of scalars"),
        (lambda x: [x], "returned a list"),
        (TripledSquare.apply, "cannot look inside the custom Function TripledSquare"),
    ],
)
def test_what_has_no_scalar_formula_is_refused(f, phrase):
    with pytest.raises(NoFormula, match=phrase):
        torch.symbolic(f, "x")


def test_a_variable_must_be_named_when_there_are_several():
    found = torch.symbolic(lambda x, y: x * y)
    with pytest.raises(ValueError, match="the variables of this formula are x, y"):
        found.derivative()
    with pytest.raises(TypeError, match="needs a value for y"):
        found(1.0)


def test_written_out_derivatives_grow_with_depth_while_the_tape_is_linear():
    rows = expression_growth(lambda x: 4 * x * (1 - x))
    assert [r.depth for r in rows] == list(range(1, 11))
    assert [r.tape for r in rows] == [3 * d for d in range(1, 11)]
    # Each level uses the one below twice: formulas double, derivatives more than double.
    assert all(b.formula > 1.9 * a.formula for a, b in itertools.pairwise(rows))
    assert all(b.derivative > 2 * a.derivative for a, b in itertools.pairwise(rows))
    assert rows[-1].derivative > 100_000


def test_a_formula_too_long_to_read_says_its_size():
    def f(x):
        for _ in range(13):
            x = 4 * x * (1 - x)
        return x

    found = torch.symbolic(f)
    assert str(found) == f"<a formula of {found.size:,} nodes, {found.distinct:,} distinct>"
    assert found.distinct < 100
    assert found(0.3) == pytest.approx(f(torch.tensor(0.3, dtype=torch.float64)).item(), rel=1e-9)
