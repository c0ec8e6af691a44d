"""What node hooks see: on this the fuzzer found differences from PyTorch 2.13."""

import warnings

import pytest

import chainrule as torch

INDEX = torch.tensor([[0], [1]])
# Shapes of grad_inputs, as PyTorch 2.13 gives them.
CASES = {
    "where": (lambda x: torch.where(x > 0, x, x * 2), [(2, 2), (2, 2)]),
    "gather": (lambda x: x.gather(1, INDEX), [(2, 2)]),
    "index": (lambda x: x[torch.tensor([0, 1]), torch.tensor([0, 1])], [(2, 2)]),
    "index_add": (lambda x: x.index_add(0, torch.tensor([0, 1]), x), [(2, 2), (2, 2)]),
    "masked_fill": (lambda x: x.masked_fill(x > 0, x.sum()), [(2, 2), ()]),
    "embedding": (lambda x: torch.nn.functional.embedding(torch.tensor([0, 1]), x), [(2, 2)]),
    "cross_entropy": (
        lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([0, 1])),
        [(2, 2)],
    ),
    "pow": (lambda x: x**2, [(2, 2)]),
    "clamp": (lambda x: x.clamp(0, 1), [(2, 2)]),
    "lerp": (lambda x: torch.lerp(x, x, 0.5), [(2, 2), (2, 2)]),
    "mul": (lambda x: x * 2, [(2, 2), None]),
}


@pytest.mark.parametrize("name", CASES)
def test_masks_indices_and_numbers_are_no_inputs_of_a_node(name):
    function, want = CASES[name]
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = function(x)
    seen = []

    def hook(grad_inputs, grad_outputs):
        seen.extend(None if g is None else tuple(g.shape) for g in grad_inputs)
        return tuple(None if g is None else g * 0 for g in grad_inputs)

    y.grad_fn.register_hook(hook)
    y.sum().backward()
    assert seen == want
    assert len(y.grad_fn.next_functions) == len(want)
    assert not x.grad.any()  # what the hook returned went to the inputs it was shown


def test_gradients_of_a_recorded_pass_share_no_memory():
    # Both leaves, and the caller, had one tensor: what was added to one was in all.
    seed = torch.tensor([3.0, 4.0])
    a, c = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a reference cycle, said once
        (a + c).backward(seed, create_graph=True)
    torch.autograd.backward([a, c], [torch.ones(2), 2 * torch.ones(2)])
    assert a.grad.tolist() == [4.0, 5.0]
    assert c.grad.tolist() == [5.0, 6.0]
    assert seed.tolist() == [3.0, 4.0]


def test_grad_captures_before_the_hooks_of_a_tensor_that_the_pass_goes_through():
    # PyTorch 2.13's values.
    def made():
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        v = a * 2
        v.register_hook(lambda g: -g)
        return a, v, (v * 3).sum()

    a, v, out = made()
    assert torch.autograd.grad(out, [v])[0].tolist() == [-3.0, -3.0]
    a, v, out = made()
    assert [g.tolist() for g in torch.autograd.grad(out, [v, a])] == [[3.0, 3.0], [-6.0, -6.0]]
    a, v, out = made()
    out.backward(inputs=[v, a])
    assert v.grad.tolist() == [-3.0, -3.0]


def test_backward_runs_the_hooks_of_the_node_of_an_input():
    # PyTorch 2.13's: `grad` stops before the node, `backward(inputs=...)` after it.
    def seen(run):
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        v = a * a
        calls = []
        v.grad_fn.register_prehook(lambda outputs: calls.append("before"))
        v.grad_fn.register_hook(lambda inputs, outputs: calls.append(inputs))
        run((v * 3).sum(), v)
        return calls

    assert seen(lambda out, v: out.backward(inputs=[v])) == ["before", (None, None)]
    assert seen(lambda out, v: torch.autograd.grad(out, [v])) == []


@pytest.mark.parametrize("f", [torch.relu, torch.nn.functional.leaky_relu])
def test_hooks_see_the_zeros_of_second_order(f):
    # A leaf got its zeros when the pass was over, past its hooks.
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: seen.append(("tensor", g.tolist())))
    x.register_post_accumulate_grad_hook(lambda p: seen.append(("leaf", p.grad.tolist())))
    h = x * 1
    h.grad_fn.register_hook(lambda inputs, outputs: seen.append(("node", outputs[0].tolist())))
    weight = torch.tensor([3.0, 4.0], requires_grad=True)
    (g,) = torch.autograd.grad((f(h) * weight).sum(), h, create_graph=True)
    x.grad = torch.ones(2)
    seen.clear()
    (g * g).sum().backward()
    assert seen == [("node", [0.0, 0.0]), ("tensor", [0.0, 0.0]), ("leaf", [1.0, 1.0])]
    assert weight.grad.tolist() == [6.0, 8.0]


def test_outputs_without_gradient_are_none_for_hooks_of_their_node():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    for outputs in (x.unbind(0), x.split(1), x.chunk(2)):
        shown = []
        outputs[0].grad_fn.register_hook(lambda _, received, shown=shown: shown.extend(received))
        outputs[0].sum().backward()
        assert shown[0].flatten().tolist() == [1.0, 1.0]
        assert shown[1] is None


@pytest.mark.parametrize("hooked", ["a", "c", "sum"])
def test_a_hook_that_writes_to_its_gradient_changes_no_other(hooked):
    # Both operands of a sum get one gradient; PyTorch's other operand is doubled too, or is not.
    a, c = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    total = a + c
    {"a": a, "c": c, "sum": total}[hooked].register_hook(lambda g: (g.mul_(2), None)[1])
    (2 * total + 3 * c).sum().backward()
    assert a.grad.tolist() == ([4.0, 4.0] if hooked != "c" else [2.0, 2.0])
    assert c.grad.tolist() == {"a": [5.0, 5.0], "c": [10.0, 10.0], "sum": [7.0, 7.0]}[hooked]
