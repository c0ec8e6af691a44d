"""Products of matrices and vectors: no extern steps, vectors along rows, batches as rows."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.emit.module_text import Gemm, _as_row
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.loops.calls import GemmCall
from chainrule.compiler.loops.schedule import Schedule
from chainrule.compiler.passes import optimise

from .programs import assert_same_as_interpreted, random_inputs

pytestmark = pytest.mark.jit


def compiled_and_eager(function, *arguments):
    compiled = torch.compile(function, fullgraph=True)
    for _ in range(4):
        result = compiled(*arguments)
    return compiled, result, function(*arguments)


PRODUCTS = {
    "mv": lambda a, b, x, y: a @ x,
    "mv of a transpose": lambda a, b, x, y: a.t() @ y,
    "dot": lambda a, b, x, y: torch.dot(x, x),
    "addmv": lambda a, b, x, y: torch.addmv(y, a, x, beta=0.5, alpha=2),
    "addmv without the sum": lambda a, b, x, y: torch.addmv(y, a, x, beta=0),
    "addmm": lambda a, b, x, y: torch.addmm(y, a, b, beta=-1),
    "baddbmm": lambda a, b, x, y: torch.baddbmm(y, a[None], b[None], alpha=3),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_with_vectors_are_machine_code(name, dtype):
    shapes = ((5, 33), (33, 5), (33,), (5,))
    arguments = [torch.randn(*shape, dtype=dtype) for shape in shapes]
    compiled, result, eager = compiled_and_eager(PRODUCTS[name], *arguments)
    assert "extern" not in compiled.explain()
    torch.testing.assert_close(result, eager)


def test_half_precision_is_rounded_once_as_in_eager_code():
    a, x, y = (torch.randn(*shape, dtype=torch.float16) for shape in ((5, 33), (33,), (5,)))
    for function in (PRODUCTS["addmv"], PRODUCTS["dot"]):
        _, result, eager = compiled_and_eager(function, a, None, x, y)
        assert result.equal(eager)


def gemm_of(a_shape, b_shape, ta=False):
    g = Graph()
    a, b = g.input(a_shape, "f4"), g.input(b_shape, "f4")
    g.outputs = [emit(g, "gemm", a, b, ta=ta, tb=False)]
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)
    (call,) = [c for c in Schedule(optimise(g)).calls if isinstance(c, GemmCall)]
    return Gemm.of(_as_row(call))


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize(("m", "k"), [(300, 2), (40, 70), (3, 1100), (1100, 3), (2, 1)])
def test_a_matrix_times_a_column_is_a_row_times_a_matrix(m, k, ta):
    gemm = gemm_of((k, m) if ta else (m, k), (k, 1), ta)
    assert (gemm.m, gemm.n, gemm.k) == (1, m, k)


def test_one_matrix_times_a_batch_of_columns_is_one_product():
    gemm = gemm_of((300, 2), (4, 2, 1))
    assert (gemm.m, gemm.n, gemm.k, gemm.batch) == (4, 300, 2, ())


def test_a_batch_of_matrices_times_columns_stays_a_batch():
    gemm = gemm_of((4, 30, 2), (4, 2, 1))
    assert (gemm.m, gemm.n, gemm.k, gemm.batch) == (1, 30, 2, (4,))


@pytest.mark.parametrize("mode", [torch.func.jacfwd, torch.func.jacrev])
@pytest.mark.parametrize(("rows", "columns"), [(100, 2), (2, 100)])
def test_jacobians_have_no_extern_steps(mode, rows, columns):
    matrix, point = torch.randn(rows, columns), torch.randn(columns)
    jacobian = mode(lambda x: torch.tanh(matrix @ x) ** 2)
    compiled, result, eager = compiled_and_eager(jacobian, point)
    assert "extern" not in compiled.explain()
    np.testing.assert_allclose(result.numpy(), eager.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("stride", [2, 3, 4, 5])
@pytest.mark.parametrize("length", [1, 3, 16, 40, 67])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?"])
def test_elements_that_lie_apart_are_loaded_to_the_last_one(stride, length, dtype):
    g = Graph()
    x = g.input((length * stride,), dtype)
    picked = emit(g, "slice_view", x, index=(slice(stride - 1, None, stride),))
    g.outputs = [emit(g, "logical_not", picked) if dtype == "?" else emit(g, "add", picked, 1)]
    assert_same_as_interpreted(g, random_inputs(g), 0)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(("rows", "columns"), [(1, 300), (3, 33), (9, 16), (40, 70)])
def test_columns_of_few_elements_are_multiplied_where_they_lie(k, rows, columns):
    g = Graph()
    a, b = g.input((rows, k), "f4"), g.input((columns, k), "f4")
    g.outputs = [emit(g, "gemm", a, b, ta=False, tb=True)]
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)
