"""Which instructions become one loop, and what memory the plan needs."""

import re

import numpy as np
import pytest

from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.loops.arena import MemoryPlan
from chainrule.compiler.loops.calls import ExternCall, GemmCall, KernelCall
from chainrule.compiler.loops.nest import format_kernel
from chainrule.compiler.loops.schedule import Schedule
from chainrule.compiler.passes import optimise
from chainrule.compiler.runtime.plan import Plan

from .programs import (
    assert_same_as_interpreted,
    layer_step,
    random_inputs,
    softmax_rows,
)


def schedule(graph: Graph) -> Schedule:
    return Schedule(optimise(graph))


def kernels(graph: Graph) -> list[str]:
    calls = schedule(graph).calls
    return [format_kernel(c.kernel) for c in calls if isinstance(c, KernelCall)]


def test_bias_activation_mask_and_both_sums_are_one_loop():
    assert (
        kernels(layer_step())[0]
        == """\
loop over [4, 5] (f32, f32, f32, f32, f32)
  n0: f32 = load(a0[5, 1])
  n1: f32 = load(a1[0, 1])
  n2: f32 = add(n0, n1)
  n3: f32 = relu(n2)
  n4: f32 = const(0)
  n5: bool = gt(n3, n4)
  n6: f32 = const(1.0)
  n7: f32 = const(0.0)
  n8: f32 = select(n5, n6, n7)
  a3[5, 1] = n8
  a2[0, 0] add= n3
  a4[0, 1] add= n8"""
    )


def test_softmax_is_one_loop():
    assert kernels(softmax_rows()) == [
        """\
loop over [6, 40] (f32, f32)
  n0: f32 = load(a0[40, 1])
  n1: f32 = fold(n0, 'max')
  n2: f32 = sub(n0, n1)
  n3: f32 = exp(n2)
  n4: f32 = fold(n3, 'add')
  n5: f32 = div(n3, n4)
  a1[40, 1] = n5"""
    ]


def test_contiguous_axes_are_joined():
    g = Graph()
    x, y = g.input((2, 3, 4), "f4"), g.input((2, 3, 4), "f4")
    g.outputs = [emit(g, "add", x, y)]
    assert kernels(g)[0].splitlines()[0] == "loop over [24] (f32, f32, f32)"


def test_an_update_of_several_arrays_is_one_loop():
    g = Graph()
    p, m, v, grad = (g.input((50,), "f4") for _ in range(4))
    m2 = emit(g, "add", emit(g, "mul", m, 0.9), emit(g, "mul", grad, 0.1))
    v2 = emit(g, "add", emit(g, "mul", v, 0.99), emit(g, "mul", emit(g, "mul", grad, grad), 0.01))
    step = emit(g, "div", m2, emit(g, "add", emit(g, "sqrt", v2), 1e-8))
    for value, target in ((emit(g, "sub", p, step), p), (m2, m), (v2, v)):
        g.write(value, target)
    made = schedule(g)
    plan = MemoryPlan(made)
    assert len(made.calls) == 1
    assert (plan.direct_writes, plan.size) == (3, 0)
    arrays = [np.abs(a) for a in random_inputs(g)]
    assert_same_as_interpreted(g, arrays, 1e-5)


def test_a_value_needed_outside_and_inside_cannot_make_a_circle():
    # exp(x) @ y feeds a loop that also reads exp(x): the product must come between two loops.
    g = Graph()
    x = g.input((8, 8), "f4")
    e = emit(g, "exp", x)
    product = emit(g, "matmul", e, x)
    g.outputs = [emit(g, "add", e, product)]
    kinds = [type(c) for c in schedule(g).calls]
    assert kinds == [KernelCall, GemmCall, KernelCall]
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


def test_a_complete_sum_is_not_used_inside_its_own_loop():
    g = Graph()
    x = g.input((8, 8), "f4")
    e = emit(g, "exp", x)
    total = emit(g, "reduce_sum", e, axis=(0,), keepdims=True)
    g.outputs = [emit(g, "div", e, total)]
    assert len(schedule(g).calls) == 2
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


def test_a_transposed_reader_does_not_join_its_maker():
    g = Graph()
    x = g.input((8, 8), "f4")
    e = emit(g, "exp", x)
    g.outputs = [emit(g, "add", e, emit(g, "transpose", e, perm=(1, 0)))]
    assert len(schedule(g).calls) == 2
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


def test_an_op_without_loops_is_an_extern_step():
    g = Graph()
    x = g.input((5,), "c8")
    g.outputs = [emit(g, "exp", x)]
    assert [type(c) for c in schedule(g).calls] == [ExternCall]


def test_buffers_are_shared_when_their_lives_do_not_meet():
    g = Graph()
    x = g.input((32, 32), "f4")
    y = x
    for _ in range(6):
        y = emit(g, "tanh", emit(g, "matmul", y, x))
    g.outputs = [y]
    plan = MemoryPlan(schedule(g))
    assert plan.total == 11 * 4096  # six products, five activations; the sixth is the output
    assert plan.size == 2 * 4096
    assert_same_as_interpreted(g, random_inputs(g), 1e-4)


def test_a_result_lies_over_an_operand_that_dies():
    g = Graph()
    x, y = g.input((16, 16), "f4"), g.input((16, 16), "f4")
    z = emit(g, "matmul", emit(g, "tanh", emit(g, "matmul", x, y)), y)
    g.outputs = [z]
    assert MemoryPlan(schedule(g)).size == 1024  # the activation overwrites the product


def test_inputs_can_be_swapped():
    g = Graph()
    a, b = g.input((5,), "f4"), g.input((5,), "f4")
    g.write(a, b)
    g.write(b, a)
    assert_same_as_interpreted(g, random_inputs(g), 0)


def test_an_input_can_be_overwritten_with_a_rearrangement_of_itself():
    g = Graph()
    a = g.input((5, 5), "f4")
    g.write(emit(g, "transpose", a, perm=(1, 0)), a)
    assert_same_as_interpreted(g, random_inputs(g), 0)


def test_an_old_value_that_is_read_late_is_not_overwritten_early():
    g = Graph()
    a, b = g.input((6, 6), "f4"), g.input((6, 6), "f4")
    new = emit(g, "mul", a, 2)
    g.write(new, a)
    g.outputs = [emit(g, "matmul", emit(g, "exp", emit(g, "matmul", new, b)), a)]
    assert_same_as_interpreted(g, random_inputs(g), 1e-5)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "c16", "f2"])
@pytest.mark.parametrize("axis", [0, 1])
def test_joining_needs_no_extern_step(axis, dtype):
    g = Graph()
    x, y = g.input((3, 4), dtype), g.input((3, 4), dtype)
    moved = emit(g, "transpose", y, perm=(1, 0))
    back = emit(g, "transpose", moved, perm=(1, 0))
    g.outputs = [emit(g, "cat", x, back, x, axis=axis)]
    plan = Plan(g)
    assert plan.segments == 1 and plan.whole
    arrays = [(np.arange(12).reshape(3, 4) * k).astype(dtype) for k in (1, 2)]
    expected = np.concatenate([arrays[0], arrays[1], arrays[0]], axis)
    assert np.array_equal(plan.run(arrays)[0], expected)


def test_long_sums_keep_their_digits():
    g = Graph()
    x = g.input((10_000_000,), "f4")
    g.outputs = [emit(g, "reduce_sum", emit(g, "mul", x, x), axis=(0,), keepdims=False)]
    values = np.random.default_rng(0).random(10_000_000, np.float32)
    (total,) = Plan(g).run([values])
    exact = np.square(values.astype(np.float64)).sum()
    assert abs(total - exact) < 2e-6 * exact


def residual_block() -> Graph:
    """normalised(x + (a @ w + b)) for x of three axes, as between two layers of a transformer."""
    g = Graph()
    x, a, w, b = (
        g.input((4, 8, 16), "f4"),
        g.input((32, 16), "f4"),
        g.input((16, 16), "f4"),
        g.input((16,), "f4"),
    )
    product = emit(g, "add", emit(g, "matmul", a, w), b)
    y = emit(g, "add", x, emit(g, "reshape", product, shape=(4, 8, 16)))
    rows = emit(g, "reshape", y, shape=(32, 16))
    total = emit(g, "reduce_sum", rows, axis=(1,), keepdims=True)
    g.outputs = [y, emit(g, "sub", rows, emit(g, "div", total, 16.0))]
    return g


def test_reshapes_between_layers_do_not_part_loops():
    text = kernels(residual_block())
    assert len(text) == 1
    assert text[0].startswith("loop over [32, 16]")
    assert "fold" in text[0]


def test_residual_block_computes_what_the_interpreter_does():
    graph = residual_block()
    assert_same_as_interpreted(graph, random_inputs(graph), 1e-4)


def test_an_operand_that_cannot_follow_keeps_its_shape():
    g = Graph()
    x, channels = g.input((4, 6), "f4"), g.input((2, 1), "f4")
    wide = emit(g, "mul", emit(g, "reshape", x, shape=(4, 2, 3)), channels)
    g.outputs = [emit(g, "reshape", wide, shape=(4, 6))]
    assert_same_as_interpreted(g, random_inputs(g), 1e-4)


def test_loops_that_read_the_same_array_become_one():
    g = Graph()
    x, y = g.input((64, 64), "f4"), g.input((64, 64), "f4")
    g.outputs = [
        emit(g, "reduce_sum", x, axis=(0,), keepdims=False),
        emit(g, "reduce_sum", emit(g, "mul", x, y), axis=(0,), keepdims=False),
        emit(g, "mul", x, 2.0),
    ]
    assert len(kernels(g)) == 1
    assert_same_as_interpreted(g, random_inputs(g), 1e-4)


def test_loops_that_wait_for_each_other_stay_apart():
    g = Graph()
    x, w = g.input((64, 64), "f4"), g.input((64, 64), "f4")
    first = emit(g, "mul", x, 2.0)
    second = emit(g, "add", x, emit(g, "matmul", first, w))
    g.outputs = [second]
    assert len(kernels(g)) == 2
    assert_same_as_interpreted(g, random_inputs(g), 1e-4)


def norm_gradient() -> Graph:
    """Rows that are folded while their columns are summed, as in the gradient of a norm."""
    g = Graph()
    x, w = g.input((192, 130), "f4"), g.input((130,), "f4")
    scaled = emit(g, "mul", x, w)
    mean = emit(g, "reduce_sum", scaled, axis=(1,), keepdims=True)
    centred = emit(g, "exp", emit(g, "sub", scaled, emit(g, "div", mean, 130.0)))
    g.outputs = [
        centred,
        emit(g, "reduce_sum", emit(g, "mul", x, x), axis=(0,), keepdims=False),
        emit(g, "reduce_max", centred, axis=(0,), keepdims=False),
        emit(g, "reduce_sum", centred, axis=(0, 1), keepdims=False),
    ]
    return g


def test_sums_over_rows_that_are_folded_are_made_in_parts_for_threads():
    from chainrule.compiler.loops.costs import axis_to_cut

    first, *others = [c for c in schedule(norm_gradient()).calls if isinstance(c, KernelCall)]
    assert first.kernel.space == (8, 24, 130)
    assert axis_to_cut(first.kernel) == 0
    assert [c.kernel.space for c in others] == [(8, 130), (8, 130), (8, 1)]
    graph = norm_gradient()
    assert_same_as_interpreted(graph, random_inputs(graph), 1e-4)


def test_heads_split_off_a_projection_are_joined_without_copies():
    """Attention gives its results in the order in which its operands lie."""
    import chainrule as torch

    functional = torch.nn.functional
    torch.manual_seed(0)
    x = torch.randn(2, 16, 96)
    w = torch.randn(32, 32)

    def joined(x):
        q, k, v = (part.view(2, 16, 4, 8).transpose(1, 2) for part in x.split(32, 2))
        heads = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return heads.transpose(1, 2).reshape(2, 16, 32) @ w

    compiled = torch.compile(joined)
    expected = joined(x)
    for _ in range(4):
        torch.testing.assert_close(compiled(x), expected)
    after = re.split("extern attention|job attend", compiled.explain())[1]
    assert "kernel(" not in after


@pytest.mark.parametrize("perm", [(1, 0, 2), (2, 0, 1), (2, 1, 0)], ids=str)
def test_a_loop_stores_its_result_in_the_order_of_axes_that_is_returned(perm):
    g = Graph()
    x = g.input((3, 4, 5), "f4")
    y = emit(g, "transpose", emit(g, "tanh", x), perm=(1, 0, 2))
    g.outputs = [emit(g, "transpose", y, perm=perm)]
    assert len(schedule(g).calls) == 1
    assert_same_as_interpreted(g, random_inputs(g), 1e-6)


def test_a_result_that_others_read_keeps_its_order():
    g = Graph()
    x = g.input((3, 4), "f4")
    y = emit(g, "tanh", x)
    g.outputs = [emit(g, "transpose", y, perm=(1, 0)), y]
    assert len(schedule(g).calls) == 2
    assert_same_as_interpreted(g, random_inputs(g), 1e-6)


def test_a_written_input_gets_a_transposed_result():
    g = Graph()
    x, target = g.input((3, 4), "f4"), g.input((4, 3), "f4")
    g.write(emit(g, "transpose", emit(g, "tanh", x), perm=(1, 0)), target)
    assert len(schedule(g).calls) <= 2
    assert_same_as_interpreted(g, random_inputs(g), 1e-6)


def dense_layers() -> Graph:
    """Two products of one array, one with a bias: as the gradients of a layer, large."""
    g = Graph()
    x, v, w = g.input((128, 128), "f4"), g.input((128, 160), "f4"), g.input((128, 128), "f4")
    b = g.input((160,), "f4")
    g.outputs = [emit(g, "add", b, emit(g, "matmul", x, v)), emit(g, "matmul", x, w)]
    return g


def test_a_product_adds_the_bias_that_its_rows_get():
    graph = dense_layers()
    assert [c.bias is not None for c in schedule(graph).calls] == [True, False]
    assert kernels(graph) == []
    assert_same_as_interpreted(graph, random_inputs(graph), 1e-4)


def test_a_product_that_others_read_leaves_its_bias_to_a_loop():
    g = Graph()
    x, w, b = g.input((128, 128), "f4"), g.input((128, 160), "f4"), g.input((160,), "f4")
    y = emit(g, "matmul", x, w)
    g.outputs = [y, emit(g, "add", y, b)]
    assert len(kernels(g)) == 1
    assert_same_as_interpreted(g, random_inputs(g), 1e-4)


def test_products_that_do_not_wait_for_each_other_are_one_job_of_the_threads():
    text = Plan(dense_layers()).module.text()
    assert text.count("call void @chainrule_pool_run") == 1
    g = Graph()
    x, w = g.input((128, 128), "f4"), g.input((128, 128), "f4")
    g.outputs = [emit(g, "matmul", emit(g, "matmul", x, w), w)]
    assert_same_as_interpreted(g, random_inputs(g), 1e-4)


def test_bias_is_added_without_threads_too(monkeypatch):
    from chainrule.compiler.runtime import plan_target

    graph = dense_layers()
    whole = plan_target.plan_target(False)
    monkeypatch.setattr(plan_target, "plan_target", lambda double: whole._replace(threads=0))
    assert_same_as_interpreted(graph, random_inputs(graph), 1e-4)
