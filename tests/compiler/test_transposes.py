"""Transposes behind sums of products become flags of the products."""

import pytest

import chainrule as torch
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.passes import optimise
from chainrule.compiler.passes.transposes import raise_transposes

from .programs import assert_same_as_interpreted, random_inputs


def sum_of_products(extra: str = "") -> Graph:
    g = Graph()
    a, b = g.input((6, 4), "f4", name="a"), g.input((6, 5), "f4", name="b")
    first = emit(g, "mm", emit(g, "transpose", a, perm=(1, 0)), b)
    second = emit(g, "mm", emit(g, "transpose", emit(g, "tanh", a), perm=(1, 0)), b)
    if extra == "a row":
        second = emit(g, "add", second, g.input((5,), "f4"))
    total = emit(g, "add", emit(g, "mul", first, 2.0), second)
    g.outputs = [emit(g, "transpose", total, perm=(1, 0))]
    if extra == "also as it is":
        g.outputs.append(total)
    return g


def test_a_transposed_sum_of_products_is_a_sum_of_transposed_products():
    assert (
        str(optimise(sum_of_products()))
        == """\
graph(%0: f32[6,4] 'a', %1: f32[6,5] 'b') {
  %2: f32[6,4] = tanh(%0)
  %3: f32[5,4] = gemm(%1, %0) {ta=True, tb=False}
  %4: f32[5,4] = mul(%3, 2.0)
  %5: f32[5,4] = gemm(%1, %2) {ta=True, tb=False}
  %6: f32[5,4] = add(%4, %5)
  return %6
}"""
    )


@pytest.mark.parametrize("extra", ["", "a row", "also as it is"])
def test_values_stay_the_same(extra):
    g = sum_of_products(extra)
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


@pytest.mark.parametrize("extra", ["a row", "also as it is"])
def test_nothing_is_computed_twice_or_copied_for_it(extra):
    g = sum_of_products(extra)
    assert str(raise_transposes(g)) == str(g)


@pytest.mark.jit
def test_a_hessian_vector_product_copies_no_gradient():
    x = torch.randn(8, 3)

    def loss(w, v):
        return torch.tanh(torch.tanh(x @ w.t()) @ v.t()).square().sum()

    def product(w, v, dw, dv):
        return torch.func.jvp(torch.func.grad(loss, argnums=(0, 1)), (w, v), (dw, dv))[1]

    shapes = ((5, 3), (4, 5)) * 2
    arguments = [torch.randn(*shape) for shape in shapes]
    compiled = torch.compile(product, fullgraph=True)
    for _ in range(4):
        result = compiled(*arguments)
    assert "transpose" not in compiled.explain()
    for have, want in zip(result, product(*arguments), strict=True):
        torch.testing.assert_close(have, want, rtol=1e-4, atol=1e-5)
