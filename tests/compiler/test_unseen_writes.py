"""Gradients with a graph of compiled functions after writes that no counter of writes sees."""

from typing import Any

import numpy as np
import pytest

import chainrule as torch

P = torch.ones(3, requires_grad=True)
B = torch.ones(3)


def _counting(x):
    B.copy_(x.detach()[0])
    return (x * P).tanh() * x


def _dropping(x):
    return torch.nn.functional.dropout((x * 2).tanh(), 0.3) * x


FUNCTIONS = {
    "that writes": _counting,
    "that draws": _dropping,
    "elementwise": lambda x: x.tanh() * P,
    "product": lambda x: (x @ x.t()).tanh(),
    "mask": lambda x: x.masked_fill(x > 1, 2.0) * P,
    "loss": lambda x: torch.nn.functional.cross_entropy(x * P, torch.tensor([0, 1])),
    "normal": lambda x: torch.nn.functional.layer_norm(x * x, (3,)),
}


def _penalty(f, change):
    found: Any = None
    for k in range(4):
        torch.manual_seed(k)
        x = (torch.arange(6.0).reshape(2, 3) * 0.3 + 0.1 * k).requires_grad_()
        y = f(x)
        change(x)
        (found,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
    return found.detach().numpy()


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_write_through_data_is_refused_where_it_would_count(f):
    with pytest.raises(RuntimeError, match=r"changed through x\.data or NumPy"):
        _penalty(torch.compile(f), lambda x: x.data.mul_(-2))


def test_a_write_through_numpy_is_refused():
    def change(x):
        x.detach().numpy()[:] = 7

    with pytest.raises(RuntimeError, match=r"changed through x\.data or NumPy"):
        _penalty(torch.compile(FUNCTIONS["elementwise"]), change)


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_without_such_a_write_gradients_have_their_graph(f):
    found = _penalty(torch.compile(f), lambda x: None)
    np.testing.assert_allclose(found, _penalty(f, lambda x: None), rtol=1e-4, atol=1e-5)
