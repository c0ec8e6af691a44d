"""Rewrites: what each pass makes of a small graph, and that the meaning stays."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler import passes
from chainrule.compiler.graph.program import Graph, Value
from chainrule.compiler.graph.types import emit
from chainrule.compiler.passes import optimise

from .programs import layer_step

OPTIMISED_LAYER = """\
graph(%0: f32[4,3] 'x', %1: f32[5,3] 'w', %2: f32[5] 'b') {
  %3: f32[] = const 1.0
  %4: f32[4,5] = gemm(%0, %1) {ta=False, tb=True}
  %5: f32[4,5] = add(%4, %2)
  %6: f32[4,5] = relu(%5)
  %7: f32[] = reduce_sum(%6) {axis=(0, 1), keepdims=False}
  %8: bool[4,5] = gt(%6, 0)
  %9: f32[4,5] = where(%8, %3, 0.0)
  %10: f32[5] = reduce_sum(%9) {axis=(0,), keepdims=False}
  %11: f32[5,3] = gemm(%9, %0) {ta=True, tb=False}
  %12: f32[5,3] = mul(%11, 0.1)
  %13: f32[5,3] = sub(%1, %12)
  %14: f32[5] = mul(%10, 0.1)
  %15: f32[5] = sub(%2, %14)
  write %13 -> %1
  write %15 -> %2
  return %7
}"""


def test_whole_pipeline():
    assert str(optimise(layer_step())) == OPTIMISED_LAYER


def body(graph: Graph) -> list[str]:
    """The instructions of a graph's text."""
    lines = str(graph).splitlines()[1:-1]
    return [line.strip() for line in lines if " = const " not in line]


def one_input(shape=(2, 3), dtype="f4"):
    g = Graph()
    return g, g.input(shape, dtype)


@pytest.mark.parametrize(
    ("op", "operands"),
    [
        ("add", ["x", -0.0]),
        ("add", [-0.0, "x"]),
        ("sub", ["x", 0.0]),
        ("mul", ["x", 1]),
        ("mul", [1.0, "x"]),
        ("div", ["x", 1]),
        ("pow", ["x", 1]),
        ("clone", ["x"]),
    ],
)
def test_neutral_operations_vanish(op, operands):
    g, x = one_input()
    g.outputs = [emit(g, op, *(x if o == "x" else o for o in operands))]
    assert body(passes.simplify(g)) == ["return %0"]


@pytest.mark.parametrize(("op", "operands"), [("add", ["x", 0]), ("sub", ["x", -0.0])])
def test_what_makes_zero_of_negative_zero_stays(op, operands):
    g, x = one_input()
    g.outputs = [emit(g, op, *(x if o == "x" else o for o in operands))]
    assert len(body(passes.simplify(g))) == 2


def test_numbers_that_differ_in_the_sign_of_zero_are_not_merged():
    run = torch.compile(lambda x: (x * 0.0, x * -0.0), fullgraph=True)
    for _ in range(4):
        zero, negative = run(torch.ones(3))
    assert zero.signbit().tolist() == [False] * 3 and negative.signbit().tolist() == [True] * 3


def test_an_operation_that_changes_the_type_stays():
    g, x = one_input(dtype="i8")
    g.outputs = [emit(g, "mul", x, 1.0)]
    assert body(passes.simplify(g)) == ["%1: f64[2,3] = mul(%0, 1.0)", "return %1"]


def test_double_negation_and_double_moves():
    g, x = one_input()
    y = emit(g, "neg", emit(g, "neg", x))
    y = emit(g, "transpose", emit(g, "transpose", y, perm=(1, 0)), perm=(1, 0))
    g.outputs = [emit(g, "reshape", emit(g, "reshape", y, shape=(6,)), shape=(3, 2))]
    result = passes.drop_dead(passes.simplify(g))
    assert body(result) == ["%1: f32[3,2] = reshape(%0) {shape=(3, 2)}", "return %1"]


def test_computation_moves_before_a_broadcast():
    g, x = one_input((3,))
    wide = emit(g, "broadcast_to", x, shape=(100, 3))
    g.outputs = [emit(g, "mul", emit(g, "exp", wide), 2.0)]
    assert body(passes.drop_dead(passes.simplify(g))) == [
        "%1: f32[3] = exp(%0)",
        "%2: f32[3] = mul(%1, 2.0)",
        "%3: f32[100,3] = broadcast_to(%2) {shape=(100, 3)}",
        "return %3",
    ]


def test_a_fold_over_axes_of_length_one_is_a_reshape():
    g, x = one_input((4, 1))
    g.outputs = [emit(g, "reduce_max", x, axis=(1,), keepdims=False)]
    assert body(passes.simplify(g)) == ["%1: f32[4] = reshape(%0) {shape=(4,)}", "return %1"]


def test_constants_are_computed_once():
    g, x = one_input()
    two = emit(g, "exp", g.constant(np.zeros((2, 1), "f4")))
    g.outputs = [emit(g, "add", x, emit(g, "add", two, 1.0))]
    folded = passes.drop_dead(passes.fold_constants(g))
    assert [array.tolist() for array in folded.constants.values()] == [[[2.0], [2.0]]]
    assert body(folded) == ["%2: f32[2,3] = add(%0, %1)", "return %2"]


def test_duplicates_are_computed_once_but_different_numbers_are_not_merged():
    g, x = one_input()
    a, b = emit(g, "mul", x, 2), emit(g, "mul", x, 2)
    c, d = emit(g, "mul", x, 2.5), emit(g, "mul", x, 1)
    g.outputs = [emit(g, "add", a, b), c, d]
    assert body(passes.drop_dead(passes.merge_duplicates(g))) == [
        "%1: f32[2,3] = mul(%0, 2)",
        "%2: f32[2,3] = mul(%0, 2.5)",
        "%3: f32[2,3] = mul(%0, 1)",
        "%4: f32[2,3] = add(%1, %1)",
        "return %4, %2, %3",
    ]


def test_dead_code_goes_and_written_values_stay():
    g, x = one_input()
    emit(g, "exp", x)
    g.write(emit(g, "neg", x), x)
    assert body(passes.drop_dead(g)) == [
        "%1: f32[2,3] = neg(%0)",
        "write %1 -> %0",
        "return",
    ]


def test_transposes_become_flags_on_both_sides_and_around_a_product():
    g = Graph()
    a, b = g.input((3, 2), "f4"), g.input((4, 3), "f4")
    left, right = (emit(g, "transpose", v, perm=(1, 0)) for v in (a, b))
    g.outputs = [emit(g, "transpose", emit(g, "matmul", left, right), perm=(1, 0))]
    assert body(passes.drop_dead(passes.fold_transposes(g))) == [
        "%2: f32[4,2] = gemm(%1, %0) {ta=False, tb=False}",
        "return %2",
    ]


def test_a_reshape_that_cannot_be_a_view_gets_a_copy():
    g, x = one_input()
    t = emit(g, "transpose", x, perm=(1, 0))
    g.outputs = [emit(g, "reshape", t, shape=(6,))]
    assert body(passes.settle_layout(g)) == [
        "%1: f32[3,2] = transpose(%0) {perm=(1, 0)}",
        "%2: f32[3,2] = copy(%1)",
        "%3: f32[6] = reshape(%2) {shape=(6,)}",
        "return %3",
    ]


def test_a_composite_op_is_written_in_its_pieces():
    g, x = one_input()
    out = Value(x.shape, x.dtype)
    g.append("log_softmax", [x], {"axis": 1}, [out])
    g.outputs = [out]
    assert body(passes.expand(g)) == [
        "%1: f32[2,1] = reduce_max(%0) {axis=(1,), keepdims=True}",
        "%2: f32[2,3] = sub(%0, %1)",
        "%3: f32[2,3] = exp(%2)",
        "%4: f32[2,1] = reduce_sum(%3) {axis=(1,), keepdims=True}",
        "%5: f32[2,1] = log(%4)",
        "%6: f32[2,3] = sub(%2, %5)",
        "return %6",
    ]


def test_a_decomposition_of_another_type_is_not_used():
    g, x = one_input(dtype="f2")
    out = Value(x.shape, "f8")  # not what log_softmax of float16 gives
    g.append("log_softmax", [x], {"axis": 1}, [out])
    g.outputs = [out]
    assert [i.op for i in passes.expand(g).instrs] == ["log_softmax"]
