"""What node hooks see: on this the fuzzer found differences from PyTorch 2.13."""

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
