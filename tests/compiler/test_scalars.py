"""Graphs of single numbers: their products are right and fast below the normal range too."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.runtime.plan import Plan

pytestmark = pytest.mark.jit

SMALLEST = float(np.finfo("f4").smallest_subnormal)
NUMBERS = [0.0, -0.0, 0.6, -1.5, 1e-30, 3e-39, -7e-42, SMALLEST, 3e38, np.inf, np.nan]


@pytest.mark.parametrize("op", ["mul", "square"])
def test_products_of_single_numbers_have_the_bits_of_numpy(op):
    g = Graph()
    x, y = g.input((), "f4"), g.input((), "f4")
    g.outputs = [emit(g, op, x, y) if op == "mul" else emit(g, op, x)]
    plan = Plan(g)
    for a in np.array(NUMBERS, "f4"):
        for b in np.array(NUMBERS, "f4"):
            (have,) = plan.run([np.array(a), np.array(b)])
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(have, a * (b if op == "mul" else a))
                assert np.signbit(have) == np.signbit(a * (b if op == "mul" else a)) or a != a


def test_products_of_single_numbers_are_computed_in_double():
    g = Graph()
    g.outputs = [emit(g, "mul", g.input((), "f4"), g.input((), "f4"))]
    assert "fmul double" in Plan(g).module.text()
    g = Graph()
    g.outputs = [emit(g, "mul", g.input((2,), "f4"), g.input((2,), "f4"))]
    assert "fmul double" not in Plan(g).module.text()


def test_a_vanishing_gradient_of_a_long_chain_equals_eager():
    def step(a, b, c):
        a.grad = b.grad = c.grad = None
        x = a
        for _ in range(150):
            x = torch.tanh(x * b + c)
        x.backward()
        return x

    numbers = [torch.tensor(v, requires_grad=True) for v in (0.5, 0.7, 0.3)]
    step(*numbers)
    eager = [t.grad.item() for t in numbers]
    compiled = torch.compile(step, fullgraph=True)
    for _ in range(4):
        compiled(*numbers)
    found = [t.grad.item() for t in numbers]
    assert 0 < eager[0] < 1e-38  # subnormal, and not flushed to zero
    np.testing.assert_allclose(found, eager, rtol=1e-5, atol=8 * SMALLEST)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_the_power_zero_is_one_whatever_the_base(dtype):
    g = Graph()
    g.outputs = [emit(g, "pow", g.input((3,), dtype), 0)]
    plan = Plan(g)
    assert "powf" not in plan.module.text() and "@pow" not in plan.module.text()
    base = np.array([0, -2, 3] if dtype == "i8" else [np.nan, -np.inf, 0.0], dtype)
    assert plan.run([base])[0].tolist() == [1, 1, 1]


def test_only_products_that_may_vanish_are_widened():
    g = Graph()
    x, y = g.input((), "f4"), g.input((), "f4")
    bounded = emit(g, "tanh", x)
    g.outputs = [emit(g, "mul", bounded, y)]
    assert "fmul double" not in Plan(g).module.text()
    g.outputs = [emit(g, "mul", emit(g, "mul", bounded, y), y)]
    assert Plan(g).module.text().count("fmul double") == 1
