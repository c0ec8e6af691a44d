"""The graph: its text is stable, and the verifier names what is wrong."""

import numpy as np
import pytest

from chainrule.compiler.graph.interpreter import interpret
from chainrule.compiler.graph.program import Graph, Instr, Value
from chainrule.compiler.graph.types import emit
from chainrule.compiler.graph.verify import GraphError, verify

from .programs import layer_step, random_inputs

LAYER = """\
graph(%0: f32[4,3] 'x', %1: f32[5,3] 'w', %2: f32[5] 'b') {
  %3: f32[] = const 1.0
  %4: f32[3,5] = transpose(%1) {perm=(1, 0)}
  %5: f32[4,5] = matmul(%0, %4)
  %6: f32[4,5] = add(%5, %2)
  %7: f32[4,5] = relu(%6)
  %8: f32[] = reduce_sum(%7) {axis=(0, 1), keepdims=False}
  %9: f32[1,1] = reshape(%3) {shape=(1, 1)}
  %10: f32[4,5] = broadcast_to(%9) {shape=(4, 5)}
  %11: bool[4,5] = gt(%7, 0)
  %12: f32[4,5] = where(%11, %10, 0.0)
  %13: f32[5] = reduce_sum(%12) {axis=(0,), keepdims=False}
  %14: f32[3,4] = transpose(%0) {perm=(1, 0)}
  %15: f32[3,5] = matmul(%14, %12)
  %16: f32[5,3] = transpose(%15) {perm=(1, 0)}
  %17: f32[5,3] = mul(%16, 0.1)
  %18: f32[5,3] = sub(%1, %17)
  %19: f32[5] = mul(%13, 0.1)
  %20: f32[5] = sub(%2, %19)
  write %18 -> %1
  write %20 -> %2
  return %8
}"""


def test_text():
    assert str(layer_step()) == LAYER


def test_weak_inputs_and_long_constants_in_text():
    g = Graph()
    x, rate = g.input((10,), "f8"), g.input((), float, "rate", weak=True)
    y = emit(g, "mul", emit(g, "add", x, g.constant(np.zeros(10))), rate)
    g.outputs = [y]
    verify(g)
    assert str(g).splitlines()[:2] == [
        "graph(%0: f64[10], %1: num:f64 'rate') {",
        "  %2: f64[10] = const <10 elements>",
    ]


def test_interpreter_writes_after_all_values_are_taken():
    g = Graph()
    a, b = g.input((2,), "f4"), g.input((2,), "f4")
    g.write(b, a)
    g.write(a, b)
    g.outputs = [a]
    arrays = [np.array([1, 2], "f4"), np.array([3, 4], "f4")]
    (out,) = interpret(g, arrays)
    assert [v.tolist() for v in (*arrays, out)] == [[3, 4], [1, 2], [1, 2]]


def test_interpreter_is_repeatable():
    g = layer_step()
    first, second = random_inputs(g), random_inputs(g)
    assert interpret(g, first)[0] == interpret(g, second)[0]
    assert all((x == y).all() for x, y in zip(first, second, strict=True))


def broken_use(g: Graph) -> None:
    g.outputs = [emit(g, "neg", Value((3,), "f4"))]


def broken_type(g: Graph) -> None:
    g.append("neg", [g.inputs[0]], {}, [Value((4,), "f4")])


def broken_definition(g: Graph) -> None:
    g.instrs.append(Instr("neg", [g.inputs[0]], {}, [g.inputs[0]]))


def broken_write(g: Graph) -> None:
    g.writes = [(emit(g, "reshape", g.inputs[0], shape=(3, 1)), 0)]


def broken_double_write(g: Graph) -> None:
    y = emit(g, "neg", g.inputs[0])
    g.writes = [(y, 0), (y, 0)]


def broken_result(g: Graph) -> None:
    g.outputs = [Value((3,), "f4")]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (broken_use, r"neg reads a value \(f32\[3\]\) that is not there after testing"),
        (broken_type, r"neg gives f32\[3\], the graph says f32\[4\]"),
        (broken_definition, "neg defines a value .* twice"),
        (broken_write, r"write of f32\[3,1\] into input 0 of type f32\[3\]"),
        (broken_double_write, "an input is written twice"),
        (broken_result, r"a result \(f32\[3\]\) is never defined"),
    ],
)
def test_verifier(damage, message):
    g = Graph()
    g.input((3,), "f4")
    damage(g)
    with pytest.raises(GraphError, match=message):
        verify(g, "testing")
