"""Matrix products: our own loops and BLAS, every transposition, batches and broadcasting."""

import tracemalloc

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.emit import module_text, work_pieces
from chainrule.compiler.emit.module_text import Gemm
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.loops.calls import ExternCall, GemmCall
from chainrule.compiler.loops.schedule import Schedule
from chainrule.compiler.machine import blas, worker_threads
from chainrule.compiler.passes import optimise
from chainrule.compiler.runtime.plan import Plan

from .programs import assert_same_as_interpreted, random_inputs

pytestmark = pytest.mark.jit

SIZES = [(1, 1, 1), (32, 16, 2), (32, 2, 16), (5, 7, 3), (1, 40, 9), (40, 1, 9), (9, 33, 40)]


def product(a_shape, b_shape, ta=False, tb=False, dtype="f4") -> Graph:
    g = Graph()
    a, b = g.input(a_shape, dtype), g.input(b_shape, dtype)
    g.outputs = [emit(g, "gemm", a, b, ta=ta, tb=tb)]
    return g


@pytest.mark.parametrize("limit", [0, 1 << 40], ids=["blas", "loops"])
@pytest.mark.parametrize("flags", [(0, 0), (0, 1), (1, 0), (1, 1)], ids=str)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sizes_and_flags(size, flags, limit, monkeypatch):
    monkeypatch.setattr(module_text, "DIRECT_LIMIT", limit)
    m, n, k = size
    ta, tb = map(bool, flags)
    for dtype, rtol in (("f4", 1e-5), ("f8", 1e-13)):
        g = product((k, m) if ta else (m, k), (n, k) if tb else (k, n), ta, tb, dtype)
        assert_same_as_interpreted(g, random_inputs(g), rtol)


@pytest.mark.parametrize("limit", [0, 1 << 40], ids=["blas", "loops"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 4, 5), (3, 5, 6)),
        ((3, 4, 5), (5, 6)),
        ((4, 5), (3, 5, 6)),
        ((2, 1, 4, 5), (3, 5, 6)),
        ((2, 3, 1, 5), (2, 3, 5, 1)),
    ],
    ids=str,
)
def test_batches(a, b, limit, monkeypatch):
    monkeypatch.setattr(module_text, "DIRECT_LIMIT", limit)
    g = product(a, b)
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


def test_a_batch_against_one_matrix_is_one_product():
    g = product((3, 4, 5), (5, 6))
    (call,) = Schedule(optimise(g)).calls
    assert isinstance(call, GemmCall)
    gemm = Gemm.of(call)
    assert (gemm.m, gemm.batch) == (12, ())


def test_strided_operands_are_copied_only_when_blas_cannot_read_them():
    g = Graph()
    x = g.input((6, 8, 2), "f4")
    plane = emit(g, "slice_view", x, index=(slice(None), slice(None), 0))  # strides (16, 2)
    g.outputs = [emit(g, "matmul", plane, emit(g, "transpose", plane, perm=(1, 0)))]
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


def test_integer_products_are_extern():
    g = product((3, 4), (4, 5), dtype="i8")
    assert [type(c) for c in Schedule(optimise(g)).calls] == [ExternCall]


def test_without_blas_products_are_extern_and_right(monkeypatch):
    from chainrule.compiler.machine import host

    without = host.target()._replace(blas_int=None)
    monkeypatch.setattr(host, "target", lambda: without)
    g = product((30, 40), (40, 50))
    plan = assert_same_as_interpreted(g, random_inputs(g), 1e-5)
    assert [type(c) for c in plan.schedule.calls] == [ExternCall]


def test_blas_is_found_and_a_wrong_integer_width_is_not_believed():
    found = blas.find()
    assert found is not None and found.int_bits in (32, 64)

    def broken(*args):
        pass  # multiplies nothing

    import ctypes

    assert not blas._multiplies(ctypes.CFUNCTYPE(None)(broken), ctypes.c_float, 32)


def test_special_values_survive_in_both_kinds_of_product(monkeypatch):
    for limit in (0, 1 << 40):
        monkeypatch.setattr(module_text, "DIRECT_LIMIT", limit)
        plan = Plan(product((2, 2), (2, 2)))
        (got,) = plan.run(
            [np.array([[np.inf, 1], [np.nan, 1]], "f4"), np.array([[1, 2], [3, 4]], "f4")]
        )
        np.testing.assert_array_equal(got, [[np.inf, np.inf], [np.nan, np.nan]])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(1, 16, 1), (1, 784, 512), (3, 33, 7), (4, 40, 100), (2, 5, 3)])
def test_few_rows_times_a_transposed_weight(shape, threads, monkeypatch):
    monkeypatch.setattr(work_pieces, "LEAST_PRODUCTS", 0)
    monkeypatch.setattr(worker_threads.settings._Settings, "threads", threads)
    m, k, n = shape
    for dtype, rtol in (("f4", 1e-4), ("f8", 1e-12)):
        g = product((m, k), (n, k), tb=True, dtype=dtype)
        assert_same_as_interpreted(g, random_inputs(g), rtol)


def test_long_sums_read_parts_of_a_matrix_where_they_are():
    """A layer of many inputs at batch 1: its weight is as large as everything else together."""
    x, w = torch.randn(1, 3072), torch.randn(768, 3072)
    want = x.double() @ w.double().t()
    for _ in range(2):  # (the first call may make code)
        tracemalloc.start()
        found = x @ w.t()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < w.numel() * 4 / 8
    np.testing.assert_allclose(found.numpy(), want.numpy(), atol=1e-3)
