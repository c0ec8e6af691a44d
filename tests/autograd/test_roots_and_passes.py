"""Several outputs in one backward pass, gradients of inputs that are outputs, hooks of passes."""

import pytest

import chainrule as torch

D = torch.float64


def leaf(*values):
    return torch.tensor(values, dtype=D, requires_grad=True)


# ---- several outputs -----------------------------------------------------------------------------


def test_a_leaf_that_is_also_an_output_gets_every_contribution():
    x = leaf(1.0, 2.0)
    ones = torch.ones(2, dtype=D)
    torch.autograd.backward([x * 2, x], [ones, ones])
    assert x.grad.tolist() == [3.0, 3.0]
    (g,) = torch.autograd.grad([x * 2, x, x], x, [ones, ones, 5 * ones])
    assert g.tolist() == [8.0, 8.0]
    (g,) = torch.autograd.grad([x, x * x], [x], [ones, ones], create_graph=True)
    assert g.tolist() == [3.0, 5.0]
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [2.0, 2.0]


def test_an_output_that_depends_on_another_output():
    x = leaf(1.0, 2.0)
    y = x * x
    z = y * 3
    ones = torch.ones(2, dtype=D)
    torch.autograd.backward([y, z], [ones, 10 * ones], retain_graph=True)
    assert x.grad.tolist() == [62.0, 124.0]
    gy, gx = torch.autograd.grad([z, y], [y, x], [ones, ones])
    assert gy.tolist() == [4.0, 4.0]
    assert gx.tolist() == [8.0, 16.0]


def test_outputs_that_lead_to_no_wanted_input_are_left_out():
    x, w = leaf(1.0), leaf(2.0)
    seen = []
    other = w * 2
    other.register_hook(seen.append)
    (g,) = torch.autograd.grad([x * 3, other], x, [torch.ones(1, dtype=D)] * 2)
    assert g.tolist() == [3.0]
    assert seen == []
    assert w.grad is None


def test_backward_with_inputs_fills_and_keeps_their_grad_only():
    x, w = leaf(1.0), leaf(2.0)
    y = x * w
    after = []
    x.register_post_accumulate_grad_hook(lambda p: after.append(p.grad.item()))
    (y * y).sum().backward(inputs=[x, y])
    assert (x.grad.item(), y.grad.item(), w.grad) == (8.0, 4.0, None)
    assert y.retains_grad
    assert after == [8.0]
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=F"):
        (x * 2).sum().backward(inputs=[torch.ones(1)])


# ---- hooks ---------------------------------------------------------------------------------------


def test_multi_grad_hook_waits_for_what_the_pass_brings():
    x, y = leaf(1.0), leaf(2.0)
    seen = []
    hook = torch.autograd.graph.register_multi_grad_hook([x, y], seen.append)
    (x * 2).sum().backward()
    assert [g if g is None else g.item() for g in seen.pop()] == [2.0, None]
    (x * y).sum().backward()
    assert [g.item() for g in seen.pop()] == [2.0, 1.0]
    torch.autograd.grad((x * 3 + y * 5).sum(), [y])  # this pass goes to y only
    assert [g if g is None else g.item() for g in seen.pop()] == [None, 5.0]
    hook.remove()
    (x * y).sum().backward()
    assert seen == []


def test_multi_grad_hook_any_runs_once_in_each_pass():
    x, y = leaf(1.0), leaf(2.0)
    constant = torch.ones(1)
    seen = []
    torch.autograd.graph.register_multi_grad_hook([x, y, constant], seen.append, mode="any")
    for passes in (1, 2, 3):
        (x * y).sum().backward()
        assert len(seen) == passes


def test_hooks_may_not_change_type_or_shape():
    bad = {
        "has changed the type": lambda g: g.float(),
        "has changed the size": lambda g: g[:1],
    }
    for phrase, change in bad.items():
        x = leaf(1.0, 2.0)
        for add in (
            lambda y, f: y.register_hook(f),
            lambda y, f: y.grad_fn.register_prehook(lambda gs: (f(gs[0]),)),
            lambda y, f: y.grad_fn.register_hook(lambda gi, go: (f(gi[0]), None)),
        ):
            y = x * 2
            add(y, change)
            with pytest.raises(RuntimeError, match=phrase):
                y.sum().backward()


def test_hooks_of_nodes_return_one_gradient_for_each():
    x = leaf(1.0)
    for wrong, error, phrase in (
        (lambda gi, go: gi[0], TypeError, "expected tuple, but hook returned"),
        (lambda gi, go: (gi[0],), RuntimeError, "incorrect number of values"),
        (lambda gi, go: (gi[0], gi[0]), RuntimeError, "can't replace a None gradient"),
    ):
        y = x * 2
        y.grad_fn.register_hook(wrong)
        with pytest.raises(error, match=phrase):
            y.sum().backward()
    y = x * 2
    y.grad_fn.register_prehook(lambda go: (None,))  # nothing goes on from here
    (y.sum() + x.sum() * 5).backward()
    assert x.grad.tolist() == [5.0]


def test_hooks_around_a_leaf_run_in_order():
    x = leaf(1.0)
    accumulator = x.view_as(x).grad_fn.next_functions[0][0]
    accumulator.register_hook(lambda gi, go: setattr(x, "grad", go[0] * 10))

    def after(p):
        p.grad.add_(0.5)

    x.register_post_accumulate_grad_hook(after)
    accumulator.register_prehook(lambda go: (go[0] / 4,))
    x.register_hook(lambda g: g - 2)
    x.sum().backward()
    assert x.grad.item() == ((1 - 2) / 4 + 0.5) * 10
    x.register_post_accumulate_grad_hook(lambda p: p.grad)
    with pytest.raises(RuntimeError, match="hooks should return None"):
        x.sum().backward()


def test_gradients_with_a_history_are_added_to_in_place():
    x = leaf(3.0)
    (x * x).sum().backward(create_graph=True)
    first = x.grad
    (x * 2).sum().backward()
    assert x.grad is first
    assert (x.grad.item(), x.grad.requires_grad) == (8.0, True)


@pytest.mark.parametrize(
    "function", [lambda x: x.mean(0), lambda x: x.sum(1), lambda x: x.repeat(0, 1)]
)
def test_gradients_that_are_one_number_may_be_written(function):
    x = torch.ones(2, 3, requires_grad=True)
    y = function(x)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y))
    before = g.tolist()
    assert g.add_(1).tolist() == [[v + 1 for v in row] for row in before]


@pytest.mark.parametrize("create", [False, True])
def test_gradients_of_roots_that_lie_behind_each_other(create):
    x, other = leaf(3.0), leaf(5.0)
    y = x * x
    z = y * y * other
    (gx,) = torch.autograd.grad([y, z, other * 2], [x], [torch.ones_like(x), None, None],
                                create_graph=create)  # fmt: skip
    assert gx.item() == 2 * 3 + 4 * 27 * 5
    assert gx.requires_grad is create
    if create:
        (second,) = torch.autograd.grad(gx, x)
        assert second.item() == 2 + 12 * 9 * 5


def test_gradients_through_shared_buffers_stay_apart():
    x = leaf(2.0)
    doubled = x + x  # the incoming gradient arrives twice at one leaf
    weight = torch.ones_like(x)
    (first,) = torch.autograd.grad(doubled, x, weight, retain_graph=True)
    (again,) = torch.autograd.grad(doubled, x, weight)
    assert (first.item(), again.item(), weight.item()) == (2.0, 2.0, 1.0)
    parts = torch.stack([x, x * 3]).unbind()  # a node with several results
    (g,) = torch.autograd.grad(parts[0] + parts[1] * x, x)
    assert g.item() == 1 + 2 * 3 * 2
