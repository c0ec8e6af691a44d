"""Loops and products in pieces: the same results as whole ones, whatever the number of threads."""

import numpy as np
import pytest

import chainrule
from chainrule.compiler.emit import module_text, work_pieces
from chainrule.compiler.graph.interpreter import interpret
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.loops import costs
from chainrule.compiler.loops.nest import Kernel
from chainrule.compiler.machine import blas, worker_threads
from chainrule.compiler.runtime.plan import Plan

from .programs import assert_same_as_interpreted, random_inputs
from .random_graphs import RandomGraph

pytestmark = pytest.mark.jit


@pytest.fixture
def in_pieces(monkeypatch):
    """Everything that can be cut is cut, for two threads."""
    monkeypatch.setattr(work_pieces, "LEAST_LOOP_COST", 0)
    monkeypatch.setattr(work_pieces, "LEAST_PRODUCTS", 0)
    monkeypatch.setattr(work_pieces, "CUT", 16)
    monkeypatch.setattr(costs, "CUT", 16)
    monkeypatch.setattr(worker_threads.settings._Settings, "threads", 2)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed, in_pieces):
    program = RandomGraph(1000 + seed, length=4 + seed % 12)
    plan = Plan(program.graph)
    tolerance = 2e-4 if program.dtype == "f4" else 1e-10
    mine, theirs = program.arrays(seed), program.arrays(seed)
    got, want = plan.run(mine), interpret(program.graph, theirs)
    for have, expected in zip([*got, *mine], [*want, *theirs], strict=True):
        scale = float(np.nanmax(np.abs(expected), initial=1))
        np.testing.assert_allclose(have, expected, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("limit", [0, 1 << 40], ids=["blocked", "loops"])
@pytest.mark.parametrize("flags", [(0, 0), (0, 1), (1, 0), (1, 1)], ids=str)
@pytest.mark.parametrize("shape", [((), 40, 50, 30), ((3,), 9, 70, 33), ((2, 5), 24, 8, 16)])
def test_products(shape, flags, limit, in_pieces, monkeypatch):
    monkeypatch.setattr(module_text, "DIRECT_LIMIT", limit)
    batch, m, n, k = shape
    ta, tb = map(bool, flags)
    for dtype, rtol in (("f4", 1e-4), ("f8", 1e-12)):
        g = Graph()
        a = g.input((*batch, *((k, m) if ta else (m, k))), dtype)
        b = g.input((*batch, *((n, k) if tb else (k, n))), dtype)
        g.outputs = [emit(g, "gemm", a, b, ta=ta, tb=tb)]
        assert_same_as_interpreted(g, random_inputs(g), rtol)


@pytest.mark.parametrize("length", [127, 128, 129, 130, 200, 257, 321])
def test_no_piece_of_a_loop_for_any_length_is_too_short(length, in_pieces):
    """Such code expects a least length: a shorter piece would write beyond its end."""
    assert all(size >= 64 for _, size in work_pieces.cuts(length, 4, 64))
    assert sum(size for _, size in work_pieces.cuts(length, 4, 64)) == length
    g = Graph()
    x = g.input((length,), "f4")
    g.outputs = [emit(g, "tanh", x)]
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


def test_sums_over_rows_are_cut_along_columns_only(in_pieces):
    g = Graph()
    x = g.input((37, 96), "f4")
    g.outputs = [emit(g, "reduce_sum", emit(g, "tanh", x), axis=(0,), keepdims=False)]
    plan = Plan(g)
    (kernel,) = [k for k in plan.module.kernels if isinstance(k, Kernel)]
    assert kernel.space == (37, 32)
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


def test_bits_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(work_pieces, "LEAST_LOOP_COST", 0)
    w = chainrule.tensor(np.random.default_rng(0).standard_normal((300, 200)).astype("f4"))
    x = chainrule.tensor(np.random.default_rng(1).standard_normal((64, 300)).astype("f4"))
    results = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(worker_threads.settings._Settings, "threads", threads)
        step = chainrule.compile(lambda x, w: chainrule.softmax((x @ w).tanh(), 1).sum(0))
        for _ in range(4):
            result = step(x, w)
        results.append(result)
    assert all(chainrule.equal(results[0], other) for other in results[1:])


def layers(dependent: bool) -> Graph:
    """Three products with one left factor; or each with the result of the one before."""
    g = Graph()
    x = g.input((64, 128), "f4")
    weights = [g.input((128, 128), "f4") for _ in range(3)]
    g.outputs = []
    for w in weights:
        left = g.outputs[-1] if dependent and g.outputs else x
        g.outputs.append(emit(g, "gemm", left, w, ta=False, tb=True))
    return g


@pytest.mark.parametrize(("dependent", "jobs"), [(False, 1), (True, 3)])
def test_products_that_do_not_wait_for_each_other_are_one_job(dependent, jobs, monkeypatch):
    monkeypatch.setattr(worker_threads.settings._Settings, "threads", 2)
    g = layers(dependent)
    text = Plan(g).module.text()
    assert text.count("call void @chainrule_pool_run(") == 1  # in a function for all of this size
    assert text.count("call void @gemm_") == jobs
    assert_same_as_interpreted(g, random_inputs(g), 1e-3)


def test_small_products_are_not_shared(monkeypatch):
    monkeypatch.setattr(worker_threads.settings._Settings, "threads", 2)
    g = Graph()
    x, w = g.input((8, 16), "f4"), g.input((16, 16), "f4")
    g.outputs = [emit(g, "gemm", x, w, ta=False, tb=False) for _ in range(2)]
    assert "chainrule_pool_run(" not in Plan(g).module.text()


def steps(sizes: tuple[int, ...], chained: bool = False) -> Graph:
    """As an optimizer: a number for each parameter, then the same loop over every parameter."""
    g = Graph()
    rate = g.input((), "f4")
    before = None
    for size in sizes:
        x, count = g.input((size,), "f4"), g.input((), "f4")
        scale = emit(g, "sqrt", emit(g, "add", emit(g, "mul", count, count), 1.0))
        x_new = emit(g, "sub", x, emit(g, "mul", emit(g, "div", x, scale), rate))
        if chained and before is not None:
            x_new = emit(g, "add", x_new, before)
        before = x_new
        g.write(x_new, x)
        g.write(emit(g, "add", count, 1.0), count)
    return g


def test_the_same_loop_over_many_arrays_is_one_job(in_pieces):
    g = steps((640, 64, 1000, 128, 777))
    plan = Plan(g)
    assert plan.module.text().count("call void @chainrule_pool_run(") == 1
    mine, theirs = random_inputs(g), random_inputs(g)
    plan.run(mine)
    interpret(g, theirs)
    for have, want in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-6)


def test_loops_that_need_each_other_are_not_one_job(in_pieces):
    g = steps((640, 640, 640), chained=True)
    mine, theirs = random_inputs(g), random_inputs(g)
    Plan(g).run(mine)
    interpret(g, theirs)
    for have, want in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-6)


def test_small_loops_are_not_shared(monkeypatch):
    monkeypatch.setattr(worker_threads.settings._Settings, "threads", 2)
    assert "chainrule_pool_run(" not in Plan(steps((640, 64, 1000))).module.text()


def test_products_in_memory_that_is_used_again_wait(in_pieces):
    """b dies in the second product; the third may be given its place, and must wait then."""
    g = Graph()
    x = g.input((24, 24), "f4")
    outputs = []
    for _ in range(3):
        a = emit(g, "tanh", emit(g, "gemm", x, x, ta=False, tb=False))
        b = emit(g, "gemm", a, x, ta=False, tb=True)
        c = emit(g, "gemm", b, a, ta=True, tb=False)
        x = emit(g, "gemm", a, c, ta=False, tb=False)
        outputs.append(emit(g, "gemm", x, c, ta=False, tb=False))
        x = emit(g, "tanh", x)
    g.outputs = outputs
    assert_same_as_interpreted(g, random_inputs(g), 1e-3)


@pytest.mark.parametrize("rows", [1, 3, 16, 100])
@pytest.mark.parametrize("columns", [1, 20, 100, 300])
def test_every_element_of_a_product_is_in_one_piece(rows, columns, in_pieces):
    g = Graph()
    a, b = g.input((rows, 40), "f4"), g.input((40, columns), "f4")
    g.outputs = [emit(g, "gemm", a, b, ta=False, tb=False)]
    assert_same_as_interpreted(g, random_inputs(g), 1e-4)


def test_losses_of_many_rows_have_the_same_bits_for_any_number_of_threads():
    """Their rows are summed in parts, though classes are counted along them."""
    random = np.random.default_rng(0)
    logits = chainrule.tensor(random.standard_normal((4096, 12)).astype("f"))
    targets = chainrule.tensor(random.integers(0, 12, 4096))

    def loss(x):
        x = x.detach().requires_grad_()
        value = chainrule.nn.functional.cross_entropy(x, targets)
        value.backward()
        return value.detach(), x.grad

    before, made = chainrule.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            chainrule.set_num_threads(threads)
            compiled = chainrule.compile(loss)
            made.append([compiled(logits) for _ in range(4)][-1])
    finally:
        chainrule.set_num_threads(before)
    for one, other in zip(made[0], loss(logits), strict=True):
        chainrule.testing.assert_close(one, other)
    for others in made[1:]:
        assert all(chainrule.equal(a, b) for a, b in zip(made[0], others, strict=True))


def test_the_products_of_numpy_keep_to_the_threads_that_were_asked_for():
    found = blas.find()
    if found is None or found.get_threads is None:
        pytest.skip("NumPy's library has no such setting")
    before = chainrule.get_num_threads()
    try:
        chainrule.set_num_threads(1)
        assert found.get_threads() == 1
    finally:
        chainrule.set_num_threads(before)
