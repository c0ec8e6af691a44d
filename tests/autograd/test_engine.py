"""SPEC rows: define by run, reverse mode, cost, accumulation, lifecycle."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import chainrule as torch


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


# ---- define by run ------------------------------------------------------------------------------


def test_the_graph_follows_python_control_flow():
    x = torch.tensor(2.0, requires_grad=True)

    def f(x, depth):
        if depth == 0:
            return x
        y = f(x, depth - 1)
        while y.item() > 100:
            y = y / 10
        for _ in range(2):
            y = y * x if depth % 2 else y + x
        return y

    # depth 1: x^3 = 8; depth 2: x^3 + 2x = 12; depth 3: (x^3 + 2x) x^2 = x^5 + 2x^3
    f(x, 3).backward()
    assert x.grad.item() == 5 * 2**4 + 6 * 2**2


def test_the_graph_is_rebuilt_every_pass():
    x = torch.tensor(3.0, requires_grad=True)
    for power in (1, 2, 3):
        x.grad = None
        y = x
        for _ in range(power - 1):
            y = y * x
        y.backward()
        assert x.grad.item() == power * 3.0 ** (power - 1)


# ---- reverse mode -------------------------------------------------------------------------------


def test_grad_returns_gradients_and_leaves_grad_alone():
    x, y = leaf(1, 2), leaf(3, 4)
    gx, gy = torch.autograd.grad((x * y).sum(), (x, y))
    assert gx.tolist() == [3, 4] and gy.tolist() == [1, 2]
    assert x.grad is None and y.grad is None


def test_backward_adds_only_into_the_given_inputs():
    x, y = leaf(1, 2), leaf(3, 4)
    (x * y).sum().backward(inputs=[x])
    assert x.grad.tolist() == [3, 4] and y.grad is None


def test_backward_inputs_may_be_inside_the_graph():
    x = leaf(1, 2)
    y = x * 3
    (y * y).sum().backward(inputs=[y])
    assert y.grad.tolist() == [6, 12] and x.grad is None


def test_gradient_argument_gives_a_vector_jacobian_product():
    x = leaf(1, 2, 3)
    (x * x).backward(torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64))
    assert x.grad.tolist() == [2, 40, 600]


def test_autograd_backward_takes_several_outputs():
    x = leaf(1, 2)
    torch.autograd.backward([x.sum(), (x * 2).sum()], [None, torch.tensor(3.0).double()])
    assert x.grad.tolist() == [7, 7]


def test_grad_with_unused_input():
    x, y = leaf(1.0), leaf(2.0)
    assert torch.autograd.grad(x.sum(), [x, y], allow_unused=True)[1] is None
    zeros = torch.autograd.grad(x.sum(), [x, y], materialize_grads=True)[1]
    assert zeros.tolist() == [0]


def test_zeros_for_unused_inputs_belong_to_the_graph_of_gradients():
    x, y = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    many = {"create_graph": True, "materialize_grads": True}
    zeros = torch.autograd.grad((x * x).sum(), [x, y], **many)[1]
    assert zeros.requires_grad
    again = torch.autograd.grad(zeros.sum(), [x, y], materialize_grads=True)
    assert [g.tolist() for g in again] == [[0, 0], [0, 0, 0]]


def test_is_grads_batched_gives_all_rows_at_once():
    x = leaf(1, 2, 3)
    y = x * x
    (rows,) = torch.autograd.grad(y, x, torch.eye(3).double(), is_grads_batched=True)
    np.testing.assert_array_equal(rows.numpy(), np.diag([2.0, 4, 6]))


def test_grad_of_an_intermediate_and_a_leaf():
    x = leaf(2.0)
    y = x * x
    z = y * y * x
    gy, gx = torch.autograd.grad(z, [y, x], torch.ones(1).double())
    assert gy.item() == 2 * 4 * 2 and gx.item() == 5 * 2.0**4


# ---- cost ---------------------------------------------------------------------------------------


def test_a_chain_of_a_million_nodes_neither_recurses_nor_leaks():
    x = torch.tensor(1.0, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        y = x
        for _ in range(1_000_000):
            y = y + 1.0
        last = weakref.ref(y.grad_fn)
        y.backward()
        assert x.grad.item() == 1.0
        del y
        assert last() is None  # freed without the garbage collector, and without recursion
    finally:
        gc.enable()


def test_backward_is_linear_in_the_length_of_the_chain():
    def seconds(n):
        x = torch.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(n):
            y = y * 1.0001
        start = time.process_time()
        y.backward()
        return time.process_time() - start

    seconds(1000)
    short = min(seconds(5_000) for _ in range(3))
    long = min(seconds(50_000) for _ in range(3))
    assert long < 10 * short * 2.5


def test_a_diamond_of_depth_50_visits_each_node_once():
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(50):
        y = y + y  # 2^50 paths
    y.backward()
    assert x.grad.item() == 2.0**50


# ---- accumulation -------------------------------------------------------------------------------


def test_gradients_add_up_over_paths_and_calls():
    x = leaf(3.0)
    (x * x + x).sum().backward()
    assert x.grad.item() == 7
    (2 * x).sum().backward()
    assert x.grad.item() == 9


def test_accumulation_is_in_place_as_in_pytorch():
    x = leaf(1, 2)
    x.sum().backward()
    kept = x.grad
    x.sum().backward()
    assert kept is x.grad and kept.tolist() == [2, 2]


def test_a_leaf_never_shares_its_gradient_with_another():
    x, y = leaf(1, 2), leaf(3, 4)
    g = torch.ones(2).double()
    (x + y).backward(g)
    x.grad.mul_(5)
    assert y.grad.tolist() == [1, 1] and g.tolist() == [1, 1]


# ---- lifecycle ----------------------------------------------------------------------------------


def test_a_second_backward_through_freed_values_says_so():
    x = leaf(2.0)
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    with pytest.raises(RuntimeError, match=r"MulBackward0, recorded at test_engine.py:\d+"):
        y.backward()


def test_a_second_backward_that_saved_nothing_is_fine():
    x = leaf(1, 2)
    y = x.sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2, 2]


def test_retain_graph_keeps_saved_values():
    x = leaf(2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8


def test_graphs_are_freed_by_reference_counting():
    gc.collect()
    gc.disable()
    try:
        x = torch.ones(3, requires_grad=True)
        y = (x.tanh() * x.exp()).sum()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
        z = x.tanh()
        saved = weakref.ref(z.grad_fn)
        (g,) = torch.autograd.grad((z * z).sum(), x, create_graph=True)
        del z, g
        assert saved() is None
    finally:
        gc.enable()


def test_a_leaf_that_only_the_graph_holds_stays_alive():
    def loss():
        w = torch.ones(2, requires_grad=True)
        return (w * 3).sum()

    y = loss()
    variable = y.grad_fn.next_functions[0][0].next_functions[0][0].variable
    y.backward()
    assert variable.grad.tolist() == [3, 3]


def test_only_what_a_needed_rule_names_is_saved():
    x = torch.ones(4, requires_grad=True)
    constant = torch.full((4,), 2.0)
    y = x * constant
    assert y.grad_fn._saved_self is None
    assert y.grad_fn._saved_other.tolist() == [2, 2, 2, 2]


# ---- threads ------------------------------------------------------------------------------------


def test_concurrent_backward_through_shared_leaves_loses_nothing():
    w = torch.ones(50, dtype=torch.float64, requires_grad=True)
    problems = []

    def work():
        try:
            for _ in range(40):
                (w.tanh() * w).sum().backward()
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems
    once = torch.autograd.grad((w.tanh() * w).sum(), w)[0]
    np.testing.assert_allclose(w.grad.numpy(), 160 * once.numpy(), rtol=1e-12)


def test_concurrent_backward_through_one_retained_graph():
    w = torch.ones(20, dtype=torch.float64, requires_grad=True)
    y = (w.exp() * w.sin()).sum()
    threads = [threading.Thread(target=lambda: y.backward(retain_graph=True)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    once = torch.autograd.grad(y, w)[0]
    np.testing.assert_allclose(w.grad.numpy(), 4 * once.numpy(), rtol=1e-12)


def test_modes_are_thread_local():
    seen = {}

    def work():
        seen["inside"] = torch.is_grad_enabled()

    with torch.no_grad():
        t = threading.Thread(target=work)
        t.start()
        t.join()
        seen["outside"] = torch.is_grad_enabled()
    assert seen == {"inside": True, "outside": False}


def test_a_gradient_that_is_a_saved_value_does_not_share_its_memory():
    class Slope(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(w)
            return x * w

        @staticmethod
        def backward(ctx, g):
            (w,) = ctx.saved_tensors
            return w, None

    x, w = torch.ones(3, requires_grad=True), torch.full((3,), 5.0)
    (Slope.apply(x, w).sum() + Slope.apply(x, w).sum()).backward()
    assert x.grad.tolist() == [10, 10, 10]
    Slope.apply(x * 1, w).sum().backward()
    x.grad.zero_()
    assert w.tolist() == [5, 5, 5]


def test_a_leaf_may_be_of_a_subclass():
    class Named(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Named).requires_grad_()
    y = torch.ones(2, requires_grad=True)
    (x * y * 3).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [3, 3]


def test_a_leaf_keeps_the_buffer_its_gradient_was_computed_into():
    import tracemalloc

    w = torch.ones(500, 500, dtype=torch.float64, requires_grad=True)
    y = (w * w).sum()
    tracemalloc.start()
    y.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    x = torch.ones(4, 500, dtype=torch.float64)
    z = torch.nn.functional.linear(x, w, torch.zeros(500, dtype=torch.float64)).sum()
    w.grad = None
    tracemalloc.start()
    z.backward()
    linear_peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = 500 * 500 * 8
    assert peak < 3.5 * size  # two products and their sum, no further copy
    assert linear_peak < 1.5 * size


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.complex64])
def test_the_gradient_of_a_number_can_be_written_to(dtype):
    x = torch.tensor(0.5, dtype=dtype, requires_grad=True)
    (x * 2 + x * 4).abs().backward()
    torch.nn.utils.clip_grad_norm_([x], 3.0)
    assert x.grad.item().real == pytest.approx(3.0, 1e-2)
    x.grad.mul_(2).zero_()
    (x * 2 + x * 4).abs().backward()
    assert x.grad.item() == 6


def test_a_hook_of_several_tensors_is_called_though_one_gets_no_gradient():
    class Apart(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.set_materialize_grads(False)
            return a * 2, b * 3

        @staticmethod
        def backward(ctx, *grads):
            return grads

    seen, x, z = [], leaf(1.0), leaf(2.0)
    y = x * 1
    first, _ = Apart.apply(z, y)
    torch.autograd.graph.register_multi_grad_hook([y, z], seen.append)
    for _ in range(2):
        first.sum().backward(retain_graph=True)
    assert [[g if g is None else g.tolist() for g in grads] for grads in seen] == [[None, [1]]] * 2


def kept_by_a_tensor(x, seen):
    x.register_hook(seen.append)
    return x


def kept_by_several(x, seen):
    torch.autograd.graph.register_multi_grad_hook([x], lambda grads: seen.append(grads[0]))
    return x


def kept_by_a_node(x, seen):
    y = x * 1
    y.grad_fn.register_hook(lambda given, _: seen.append(given[0]))
    return y


@pytest.mark.parametrize("keep", [kept_by_a_tensor, kept_by_several, kept_by_a_node])
def test_gradients_that_hooks_keep_stay_as_they_were(keep):
    x, seen = leaf(1.0), []
    for k in (2.0, 3.0, 4.0):
        (keep(x, seen) if not seen or keep is kept_by_a_node else x).mul(k).sum().backward()
    assert [g.tolist() for g in seen] == [[2], [3], [4]]
    assert x.grad.tolist() == [9]
