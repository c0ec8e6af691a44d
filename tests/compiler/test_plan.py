"""Running a plan: fresh outputs, strided inputs, numbers, threads, errors, no llvmlite."""

import threading

import numpy as np
import pytest

from chainrule import ir
from chainrule.compiler.emit import module_text
from chainrule.compiler.graph.op_table import INTERNAL, InternalOp
from chainrule.compiler.graph.program import Graph, Value
from chainrule.compiler.graph.types import emit
from chainrule.compiler.runtime import bind, plan_cache
from chainrule.compiler.runtime.plan import Plan

from .programs import assert_same_as_interpreted, layer_step, random_inputs

pytestmark = pytest.mark.jit


def doubled(shape=(3, 4), dtype="f4") -> Graph:
    g = Graph()
    g.outputs = [emit(g, "mul", g.input(shape, dtype), 2)]
    return g


def test_outputs_of_one_call_survive_the_next():
    plan = Plan(doubled())
    first = plan.run([np.ones((3, 4), "f4")])[0]
    plan.run([np.zeros((3, 4), "f4")])
    assert (first == 2).all()


def test_an_output_that_is_an_input_is_a_copy():
    g = Graph()
    x = g.input((3,), "f4")
    g.outputs = [x, emit(g, "reshape", x, shape=(3, 1))]
    array = np.arange(3, dtype="f4")
    same, shaped = Plan(g).run([array])
    array[:] = 9
    assert same.tolist() == [0, 1, 2] and shaped.tolist() == [[0], [1], [2]]


def test_an_input_returned_and_written_is_returned_as_it_was():
    g = Graph()
    x = g.input((3,), "f4")
    g.outputs = [x]
    g.write(emit(g, "neg", x), x)
    array = np.arange(1, 4, dtype="f4")
    (old,) = Plan(g).run([array])
    assert old.tolist() == [1, 2, 3] and array.tolist() == [-1, -2, -3]


def test_strided_inputs_are_read_and_written_in_place():
    g = Graph()
    x = g.input((3, 4), "f4")
    g.outputs = [emit(g, "reduce_sum", x, axis=(0, 1), keepdims=False)]
    g.write(emit(g, "mul", x, 2), x)
    memory = np.arange(24, dtype="f4").reshape(4, 6)
    view = memory.T[::2, :]
    want = view.sum()
    (total,) = Plan(g).run([view])
    assert total == want
    assert memory.tolist() == [
        [k * 2 if k % 6 % 2 == 0 else k for k in range(r, r + 6)] for r in (0, 6, 12, 18)
    ]


def test_wrong_input_types_are_named():
    plan = Plan(doubled())
    with pytest.raises(ValueError, match=r"input 0 of the plan is f32\[3,4\], got f64\[3,4\]"):
        plan.run([np.ones((3, 4))])
    with pytest.raises(ValueError, match=r"input 0 of the plan is f32\[3,4\], got f32\[4,3\]"):
        plan.run([np.ones((4, 3), "f4")])


def test_numbers_are_weak_inputs():
    g = Graph()
    x, rate = g.input((3,), "f4"), g.input((), float, weak=True)
    g.outputs = [emit(g, "mul", x, rate)]
    plan = Plan(g)
    for value in (0.5, 0.25):
        (out,) = plan.run([np.full(3, 4, "f4"), value])
        assert out.dtype == np.float32 and out.tolist() == [4 * value] * 3


def test_extern_steps_run_between_native_segments(monkeypatch):
    rolled = InternalOp("rolled", lambda x: np.roll(x, 1), ir.extern)
    monkeypatch.setitem(INTERNAL, "rolled", rolled)
    g = Graph()
    x = g.input((4,), "f4")
    y = Value((4,), "f4")
    g.append("rolled", [emit(g, "exp", x)], {}, [y])
    g.outputs = [y, emit(g, "add", y, 1)]
    plan = assert_same_as_interpreted(g, random_inputs(g), 1e-6)
    assert plan.segments == 2


def test_mixed_dtypes_in_one_loop():
    g = Graph()
    x, k = g.input((37,), "f4"), g.input((37,), "i8")
    mask = emit(g, "gt", x, 0)
    wide = emit(g, "cast", emit(g, "add", k, 3), dtype=np.dtype("f8"))
    g.outputs = [mask, emit(g, "where", mask, wide, emit(g, "cast", x, dtype=np.dtype("f8")))]
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(37).astype("f4"), rng.integers(-5, 5, 37)]
    assert_same_as_interpreted(g, arrays, 1e-12)


@pytest.mark.parametrize("wrong", [5, -6])
def test_a_wrong_index_is_an_error_and_the_plan_stays_usable(wrong):
    g = Graph()
    x, i = g.input((5, 3), "f4"), g.input((4,), "i8")
    out = Value((4, 3), "f4")
    g.append("index_get", [x, i], {"dims": (0,)}, [out])
    g.outputs = [out]
    plan = Plan(g)
    assert plan.segments == 1 and len(plan.steps) == 1
    table = np.arange(15, dtype="f4").reshape(5, 3)
    with pytest.raises(IndexError, match="out of bounds for dimension with size 5"):
        plan.run([table, np.array([0, wrong, 1, 2])])
    (got,) = plan.run([table, np.array([0, -1, 4, 2])])
    assert (got == table[[0, -1, 4, 2]]).all()


def test_adding_at_repeated_places():
    g = Graph()
    v, i = g.input((6,), "f4"), g.input((6,), "i8")
    out = Value((4,), "f4")
    g.append("index_sum", [v, i], {"dims": (0,), "shape": (4,)}, [out])
    g.outputs = [out]
    plan = Plan(g)
    assert len(plan.steps) == 1
    (got,) = plan.run([np.arange(1, 7, dtype="f4"), np.array([0, 2, 2, -1, 0, 2])])
    assert got.tolist() == [6, 0, 11, 4]


def test_concurrent_calls_do_not_share_memory():
    g = Graph()
    x = g.input((64, 64), "f4")
    y = emit(g, "tanh", emit(g, "matmul", x, x))
    g.outputs = [emit(g, "matmul", y, x)]
    plan = Plan(g)
    inputs = [np.random.default_rng(s).standard_normal((64, 64)).astype("f4") for s in range(4)]
    want = [np.tanh(a @ a) @ a for a in inputs]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(200):
            if not np.allclose(plan.run([inputs[k]])[0], want[k], rtol=1e-3, atol=1e-3):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_without_the_known_object_layout_python_binds_the_inputs(monkeypatch):
    for user in ("runtime.plan", "runtime.plan_cache"):  # plans in the cache are told apart by it
        monkeypatch.setattr(f"chainrule.compiler.{user}.layout_known", lambda: False)
    plan = Plan(doubled())
    assert plan.main is None
    assert (plan.run([np.ones((3, 4), "f4")])[0] == 2).all()


def test_the_object_layout_is_probed():
    assert bind.layout_known()


def test_without_llvmlite_the_graph_is_interpreted():
    g = layer_step()
    plan = Plan(g, native=False)
    mine, theirs = random_inputs(g), random_inputs(g)
    assert plan.run(mine)[0] == pytest.approx(Plan(g).run(theirs)[0])
    np.testing.assert_allclose(mine[1], theirs[1], rtol=1e-6)
    assert plan.explain().endswith("interpreted: llvmlite is not installed")


def test_explain_shows_graph_loops_and_memory():
    text = Plan(layer_step()).explain()
    assert "gemm f32 temp0 = input0 @ input1, [4, 3] @ [3, 5]" in text
    assert "loop over [4, 5]" in text
    assert text.endswith(
        "1 native segment(s), 5 kernels; arena 256 bytes for 384 bytes of temporaries; "
        "2 of 2 writes go straight into inputs"
    )


def test_a_long_segment_is_several_functions_and_stops_at_a_wrong_index(monkeypatch):
    monkeypatch.setattr(module_text, "_PART", 1)
    monkeypatch.setattr(plan_cache, "key_of", lambda *_: None)  # nothing out of the cache
    g = Graph()
    table, index, total = g.input((5, 3), "f4"), g.input((4,), "i8"), g.input((3,), "f4")
    checked = emit(g, "checked_index", index, size=5)
    rows = emit(g, "take", table, emit(g, "reshape", checked, shape=(4, 1)))
    sums = emit(g, "reduce_sum", rows, axis=(0,), keepdims=False)
    product = emit(g, "gemm", rows, table, ta=False, tb=True)
    g.write(emit(g, "add", total, sums), total)
    g.outputs = [product]
    plan = Plan(g)
    arrays = [np.arange(15, dtype="f4").reshape(5, 3), np.array([0, 4, 2, 2]), np.ones(3, "f4")]
    (found,) = plan.run(arrays)
    picked = arrays[0][arrays[1]]
    np.testing.assert_allclose(found, picked @ arrays[0].T)
    np.testing.assert_allclose(arrays[2], 1 + picked.sum(0))
    before = arrays[2].copy()
    arrays[1][1] = 5
    with pytest.raises(IndexError, match="out of bounds for dimension with size 5"):
        plan.run(arrays)
    np.testing.assert_array_equal(arrays[2], before)
    assert "segment_0_1" in plan.module.text()
