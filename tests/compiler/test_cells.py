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
