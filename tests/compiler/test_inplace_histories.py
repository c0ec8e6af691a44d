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
