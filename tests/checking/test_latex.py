"""Formulas as LaTeX."""

import re

import pytest

import chainrule as torch
import chainrule.nn.functional as F

CASES = [
    (lambda x: torch.sin(x**2), r"\sin\left(x^{2}\right)"),
    (lambda x: torch.sin(x**2) / (1 + x), r"\frac{\sin\left(x^{2}\right)}{x + 1}"),
    (lambda x, y: x**y * 3, r"3 x^{y}"),
    (lambda x: 3 * 2 ** (x + 1), r"3 \cdot 2^{x + 1}"),
    (lambda x: (x + 1) ** 2 * (x - 2), r"\left(x + 1\right)^{2} \left(x - 2\right)"),
    (lambda x: torch.exp(-(x**2) / 2) ** 2, None),
    (lambda x: torch.sqrt(x) - x / 3, r"\sqrt{x} - \frac{x}{3}"),
    (lambda a, beta1: a * beta1, r"a \beta_{1}"),
    (
        lambda x: F.elu(x),
        r"\begin{cases} x & \text{if } x > 0 \\ e^{x} - 1 & \text{otherwise} \end{cases}",
    ),
    (lambda x: torch.abs(torch.tanh(x)), r"\left|\tanh\left(x\right)\right|"),
    (lambda learning_rate: 1 / learning_rate, r"\frac{1}{\mathrm{learning}_{\mathrm{rate}}}"),
    (lambda x: F.gelu(x), None),
    (lambda x: 1e-20 * x, r"1 \cdot 10^{-20} x"),
]


@pytest.mark.parametrize(("f", "expected"), CASES)
def test_formulas(f, expected):
    formula = torch.symbolic(f)
    if expected is not None:
        assert formula.latex() == expected
    for one in (formula, *formula.gradient().values()):
        text = one.latex()
        assert text.count("{") == text.count("}")
        assert text.count(r"\left") == text.count(r"\right")
        assert not re.search(r"\*|//|\+ -", text)
        assert one._repr_latex_() == rf"$\displaystyle {text}$"


def test_the_derivative_of_the_readme():
    slope = torch.symbolic(lambda x: torch.sin(x**2)).derivative()
    assert slope.latex() == r"2 x \cos\left(x^{2}\right)"


def test_a_formula_nobody_would_read_is_not_written():
    def f(x):
        for _ in range(14):
            x = torch.sin(x) * x
        return x

    assert torch.symbolic(f).latex().startswith(r"\text{")
