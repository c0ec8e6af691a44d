"""The usual call is recognised by the types of its tensors, in tuples and lists too."""

import pytest

import chainrule as torch

pytestmark = pytest.mark.jit


def settled(function, *args):
    compiled = torch.compile(function, fullgraph=True)
    for _ in range(4):
        compiled(*args)
    return compiled


def total(pair, x):
    return (pair[0] * pair[1]).sum() + x


def test_tuples_of_tensors_are_recognised_without_a_key(monkeypatch):
    pair, x = (torch.ones(3), torch.full((3,), 2.0)), torch.ones(())
    compiled = settled(total, pair, x)
    monkeypatch.setattr(type(compiled._entries), "find", None)
    assert compiled(pair, x).item() == 7
    assert compiled((pair[1], pair[1].clone()), x).item() == 13


@pytest.mark.parametrize(
    ("pair", "want"),
    [
        ([torch.ones(3), torch.ones(3)], 4.0),
        ((torch.ones(4), torch.ones(4)), 5.0),
        ((torch.ones(3, dtype=torch.float64), torch.ones(3)), 4.0),
        ((torch.ones(3, requires_grad=True), torch.ones(3)), 4.0),
        ((torch.ones(3), 2.0), 7.0),
        ((torch.ones(3), torch.ones(3), torch.ones(3)), 4.0),
    ],
    ids=["list", "shape", "dtype", "requires_grad", "number", "length"],
)
def test_other_types_are_other_calls(pair, want):
    compiled = settled(total, (torch.ones(3), torch.ones(3)), torch.ones(()))
    result = compiled(pair, torch.ones(()))
    eager = total(pair, torch.ones(()))
    assert (result.item(), result.dtype) == (want, eager.dtype)
    assert result.requires_grad == eager.requires_grad


def test_one_tensor_twice_is_another_call():
    def moved(pair):
        pair[0].add_(1)
        return pair[1] * 1

    compiled = settled(moved, (torch.ones(3), torch.ones(3)))
    same = torch.ones(3)
    assert compiled((same, same)).tolist() == [2, 2, 2]


def test_calls_without_arguments():
    x = torch.ones(3)
    compiled = settled(lambda: x * 2)
    assert compiled().tolist() == [2, 2, 2]
