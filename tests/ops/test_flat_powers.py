"""x ** 0 is flat: nothing passes through it, not even what is infinite or NaN."""

import pytest

import chainrule as torch

WHAT_ARRIVES = torch.tensor([-1.0, float("inf"), float("nan")])
EXPONENTS = {
    "int": 0,
    "float": 0.0,
    "0-dim": torch.tensor(0.0),
    "array": torch.zeros(3),
}


@pytest.fixture(params=EXPONENTS.values(), ids=EXPONENTS)
def exponent(request):
    return request.param


def is_zero(t):
    return t.tolist() == [0.0, 0.0, 0.0] and not t.signbit().any()


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_of_flat_powers_are_zero(exponent, create_graph):
    x = torch.tensor([2.0, -3.0, 0.0], requires_grad=True)
    (found,) = torch.autograd.grad(x**exponent, x, WHAT_ARRIVES, create_graph=create_graph)
    assert is_zero(found)


def test_compiled_gradients_of_flat_powers_are_zero(exponent):
    x = torch.tensor([2.0, -3.0, 0.0], requires_grad=True)
    compiled = torch.compile(lambda x, g: torch.autograd.grad(x**exponent, x, g)[0])
    for _ in range(4):
        assert is_zero(compiled(x, WHAT_ARRIVES))


def test_tangents_of_flat_powers_are_zero(exponent):
    x = torch.tensor([2.0, -3.0, 0.0])
    _, tangent = torch.func.jvp(lambda x: x**exponent, (x,), (WHAT_ARRIVES,))
    assert is_zero(tangent)


def test_exponents_of_zero_pass_nothing_on():
    e = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    (found,) = torch.autograd.grad(torch.zeros(3) ** e, e, WHAT_ARRIVES)
    assert is_zero(found)
