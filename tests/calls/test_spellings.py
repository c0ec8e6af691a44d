"""NumPy's keywords and old orders of arguments: what is refused, and what is warned about."""

import warnings

import pytest

import chainrule as torch
from chainrule.autograd import warn_once

M = torch.arange(6.0).reshape(2, 3)
SQUARE = torch.ones(3, 3)


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(warn_once, "GIVEN", set())


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.sin(M, M),
        lambda: torch.sin(M, x=M),
        lambda: torch.mul(M, M, M),
        lambda: torch.mul(M, other=M, x2=M),
        lambda: M.mul(M, M),
        lambda: M.add(M, M),
        lambda: torch.add(M, M, M),
        lambda: torch.sort(M, 0, False, False, M),
        lambda: torch.sort(M, x=M),
        lambda: torch.stack([M, M], 0, 1),
        lambda: torch.cumsum(M, 1, axis=0),
        lambda: M.matmul(M, M),
        lambda: M.unsqueeze(0, 1),
        lambda: torch.addcmul(M, M, M, M),
        lambda: torch.addmm(2, SQUARE, 3, 4, SQUARE),
        lambda: torch.nn.functional.linear(SQUARE, SQUARE, None, SQUARE),
        lambda: torch.sin(y=M),
        lambda: torch.sin_(M, x=M),
        lambda: M.softmax(1, axes=0),
    ],
)
def test_too_many_arguments_are_never_taken_for_another_name(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    ("call", "missing"),
    [
        (lambda: torch.sin(), "input"),
        (lambda: torch.mul(M), "other"),
        (lambda: M.mul(), "other"),
        (lambda: M.add(), "other"),
        (lambda: torch.gather(M, axis=1), "index"),
        (lambda: M.unsqueeze(), "dim"),
        (lambda: torch.sin_(), "input"),
        (lambda: torch.logsumexp(M), "dim"),
    ],
)
def test_what_is_missing_is_named(call, missing):
    with pytest.raises(TypeError, match=f"missing 1 required positional argument: '{missing}'"):
        call()


def test_gradients_flow_through_other_spellings():
    x = torch.ones(2, 3, requires_grad=True)
    torch.softmax(x=x, axis=1).pow(exponent=2).sum(axis=0, keepdims=True).sum().backward()
    expected = x.grad.clone()
    x.grad = None
    torch.softmax(x, 1).pow(2).sum().backward()
    assert torch.equal(x.grad, expected)


def test_an_old_order_warns_once():
    with pytest.warns(UserWarning, match="This overload of add_ is deprecated"):
        assert torch.ones(2).add_(2, torch.ones(2)).tolist() == [3.0, 3.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.ones(2).sub(2, torch.ones(2)).tolist() == [-1.0, -1.0]


def test_the_factor_of_a_number_goes_by_position_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.ones(2).sub(1, 0.5).tolist() == [0.5, 0.5]


def test_spellings_work_inside_transforms_and_compiled_functions():
    x = torch.arange(6.0).reshape(2, 3)
    expected = torch.logsumexp(x, dim=1)
    mapped = torch.func.vmap(lambda row: torch.logsumexp(x=row, axis=0))(x)
    assert torch.allclose(mapped, expected)
    compiled = torch.compile(lambda t: torch.logsumexp(a=t, axis=1))
    for _ in range(4):
        assert torch.allclose(compiled(x), expected)
