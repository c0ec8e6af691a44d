"""A compiled loop over a recurrent cell is one plan of loops, with eager code's numbers."""

import numpy as np
import pytest

import chainrule as torch


@pytest.mark.parametrize("cell", ["LSTMCell", "GRUCell", "RNNCell"])
def test_a_loop_over_a_cell(cell):
    torch.manual_seed(0)
    step = getattr(torch.nn, cell)(5, 7)
    x = torch.randn(4, 3, 5)

    def total(x):
        state = None
        for t in range(4):
            state = step(x[t], state)
        last = state[0] if cell == "LSTMCell" else state
        loss = last.square().sum()
        step.zero_grad()
        loss.backward()
        return loss, last

    expected = [t.detach().numpy() for t in (*total(x), *(p.grad for p in step.parameters()))]
    compiled = torch.compile(total, fullgraph=True)
    for _ in range(4):
        found = compiled(x)
    found = [t.detach().numpy() for t in (*found, *(p.grad for p in step.parameters()))]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-5, 1e-6)
    assert "lstm_layer" not in str(compiled.explain())
    assert "gru_layer" not in str(compiled.explain())


@pytest.mark.parametrize("cell", ["LSTMCell", "GRUCell"])
def test_a_step_by_one_op_and_by_many(cell):
    """Hooks on every op make a step take the long way; values and gradients are the same."""
    torch.manual_seed(0)
    step = getattr(torch.nn, cell)(3, 4).double()
    x, h = torch.randn(2, 3, dtype=torch.float64), torch.randn(2, 4, dtype=torch.float64)
    given = [t.requires_grad_() for t in (x, h)]

    def run(x, h):
        return sum(step(x, (h, h))) if cell == "LSTMCell" else step(x, h)

    def derivatives():
        y = run(*given)
        first = torch.autograd.grad(y.square().sum(), given, create_graph=True)
        return y, *first, *torch.autograd.grad(sum(g.sin().sum() for g in first), given)

    found = derivatives()
    assert torch.autograd.gradcheck(run, given, check_forward_ad=True)
    vectors = torch.func.vmap(run)(*[t.detach().expand(2, *t.shape) for t in given])
    _, tangent = torch.func.jvp(run, (x.detach(), h.detach()), (x.detach(), h.detach()))
    with torch.autograd.set_detect_anomaly(True):
        expected = derivatives()
    for a, b in zip((*found, *vectors), (*expected, found[0], found[0]), strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 1e-12, 1e-13)
    assert tangent.shape == found[0].shape
