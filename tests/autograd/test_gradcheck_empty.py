"""Gradient checks where an input, an output or both have no entries."""

import pytest

import chainrule as torch


def empty(*shape, dtype=torch.float64):
    return torch.rand(*shape, dtype=dtype, requires_grad=True)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x: x.sin(), lambda: (empty(0, 3),)),
        (lambda x: x.sum(0), lambda: (empty(0, 3),)),
        (lambda x, y: x @ y, lambda: (empty(0, 3), empty(3, 2))),
        (lambda x, y: x @ y, lambda: (empty(2, 0), empty(0, 2))),
        (lambda x: x * x, lambda: (empty(0, 2, dtype=torch.complex128),)),
        (lambda x: x[:0] * 2, lambda: (empty(3),)),
        (lambda x, y: (x * y, (y * y).sum()), lambda: (empty(0, 2), empty(2))),
    ],
    ids=["sin", "sum", "rows", "inner", "complex", "output", "mixed"],
)
def test_empty_tensors_are_checked(function, inputs, fast):
    assert torch.autograd.gradcheck(function, inputs(), fast_mode=fast)
    assert torch.autograd.gradgradcheck(function, inputs(), fast_mode=fast)


def test_expanded_inputs_are_still_refused():
    x = torch.rand(1, dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="dimension with stride 0"):
        torch.autograd.gradcheck(lambda t: t * 2, (x.expand(3),))
