"""The checks in front of a function are written at its first call, and never again."""

import contextlib

import pytest

import chainrule as torch

CALLS = {
    "zeros_like": lambda x: torch.zeros_like(x),
    "ones_like": lambda x: torch.ones_like(x),
    "full_like": lambda x: torch.full_like(x, 2.0),
    "empty_like": lambda x: torch.empty_like(x),
    "rand_like": lambda x: torch.rand_like(x),
    "randn_like": lambda x: torch.randn_like(x),
    "index_select": lambda x: torch.index_select(x, 0, torch.tensor([0])),
    "index_add": lambda x: torch.index_add(x, 0, torch.tensor([0]), x[:1]),
    "is_floating_point": lambda x: torch.is_floating_point(x),
    "nn.functional.leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, 0.2),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_second_call_makes_no_code(name, monkeypatch):
    x = torch.ones(2, 3)
    CALLS[name](x)
    CALLS[name](x)
    made = []
    with monkeypatch.context() as patched:
        patched.setattr("builtins.compile", lambda text, *rest: made.append(text))
        with contextlib.suppress(TypeError):  # of what would have been run
            CALLS[name](x)
    assert made == []
