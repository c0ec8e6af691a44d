"""Compiled functions give in-place writes the history that eager mode gives them."""

import pytest

import chainrule as torch

D = torch.float64

WRITES = {
    "comparison": lambda y, w: y.gt_(0),
    "logic": lambda y, w: y.logical_not_(),
    "copy": lambda y, w: y.copy_(w),
    "transpose": lambda y, w: y.t_(),
    "whole numbers": lambda y, w: torch.zeros(2, 2, dtype=torch.int64).copy_(y),
}


@pytest.mark.jit
@pytest.mark.parametrize("name", WRITES)
def test_gradients_after_writes(name):
    def step(x, w):
        y = x * w
        WRITES[name](y, w)
        loss = (y * y * torch.arange(4, dtype=D).reshape(2, 2)).sum()
        loss.backward()
        return loss

    compiled = torch.compile(step)
    for k in range(4):
        found = []
        for run in (step, compiled):
            x = torch.tensor([[1.0, -2.0], [3.0, 0.5 + k]], dtype=D, requires_grad=True)
            w = torch.tensor([[2.0, 1.5], [-1.0, 4.0]], dtype=D, requires_grad=True)
            run(x, w)
            found.append([None if g is None else g.tolist() for g in (x.grad, w.grad)])
        assert found[0] == found[1]


INTO_ARGUMENTS = {
    "scaled": lambda x: x.mul_(2).detach().sum(),
    "a part": lambda x: x[1:].mul_(3).detach(),
    "replaced": lambda x: x.copy_(torch.ones(3)).detach() * 2,
    "set to zero, and used": lambda x: x.zero_() * 2,
}


@pytest.mark.filterwarnings("ignore:chainrule.compile")
@pytest.mark.parametrize("name", INTO_ARGUMENTS)
@pytest.mark.parametrize("made", (lambda leaf: leaf * 1, lambda leaf: (leaf * 2)[:]))
def test_gradients_through_arguments_that_are_written(name, made):
    function = INTO_ARGUMENTS[name]
    compiled = torch.compile(function)
    for k in range(6):
        found = []
        for run in (function, compiled):
            leaf = torch.tensor([1.0, -2.0, 0.5 + k], requires_grad=True)
            x = made(leaf)
            run(x)
            (x * x).sum().backward()
            found.append(leaf.grad.tolist())
        assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore:chainrule.compile")
def test_gradients_through_a_tensor_that_is_seen_and_written():
    kept = torch.ones(3)

    @torch.compile
    def step(x):
        kept.copy_(x)
        return kept, x * 2

    for _ in range(6):
        x = torch.ones(3, requires_grad=True)
        parts = step(x)
        sum(part.sum() for part in parts).backward()
        assert x.grad.tolist() == [3.0, 3.0, 3.0]
