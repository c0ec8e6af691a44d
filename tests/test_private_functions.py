"""`torch._unique2` and its like: what libraries call below PyTorch's public functions."""

import json
from pathlib import Path

import pytest
from private_cases import cases, written

import chainrule as torch

RECORDED = json.loads(
    (Path(__file__).parent / "recorded" / "private.json").read_text(encoding="utf-8")
)


def leaves(value):
    return [k for part in value for k in leaves(part)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", RECORDED)
def test_a_private_function_is_pytorchs(name):
    ours, theirs = leaves(written(cases(torch)[name](), torch)), leaves(RECORDED[name])
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        exact = isinstance(other, str)
        assert mine == (other if exact else pytest.approx(other, rel=1e-5, abs=1e-5))


def test_every_case_is_recorded():
    assert list(cases(torch)) == list(RECORDED)


def test_gradients_pass_through():
    v = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    g = torch.rand(3, 1, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch._weight_norm, (v, g))
    alpha = torch.full((4,), 2.0, requires_grad=True)
    torch._standard_gamma(alpha).sum().backward()
    assert (alpha.grad > 0).all()


def test_softmax_of_halves_as_floats_is_refused():
    with pytest.raises(RuntimeError, match="half to float conversion is not supported on CPU"):
        torch._softmax(torch.randn(2), 0, True)


def test_a_module_has_other_parameters_inside_a_block():
    layer = torch.nn.Linear(2, 1, bias=False)
    own, other = layer.weight, torch.full((1, 2), 3.0)
    with torch.nn.utils.stateless._reparametrize_module(layer, {"weight": other}):
        assert layer.weight is other
        assert layer(torch.ones(1, 2)).item() == 6.0
    assert layer.weight is own
