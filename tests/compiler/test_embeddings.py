"""Rows by number: a loop like any other, with the checks of the eager function."""

import pytest

import chainrule as torch

pytestmark = pytest.mark.jit


def compiled_lookup(weight, index):
    lookup = torch.compile(lambda w, i: torch.nn.functional.embedding(i, w) * 2, fullgraph=True)
    for _ in range(4):
        result = lookup(weight, index)
    return lookup, result


@pytest.mark.parametrize("shape", [(3,), (2, 5), (), (4, 1, 2)], ids=str)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
def test_rows_by_number_are_one_loop(shape, dtype):
    weight = torch.randn(7, 20)
    index = torch.randint(0, 7, shape, dtype=dtype)
    lookup, result = compiled_lookup(weight, index)
    assert result.equal(weight[index] * 2)
    assert "extern" not in lookup.explain()


@pytest.mark.parametrize("wrong", [-1, 7])
def test_numbers_outside_are_errors_as_in_eager_code(wrong):
    weight, index = torch.randn(7, 20), torch.tensor([1, 2])
    lookup, _ = compiled_lookup(weight, index)
    with pytest.raises(IndexError):
        lookup(weight, torch.tensor([1, wrong]))
    assert lookup(weight, index).equal(weight[index] * 2)


def test_gradients_and_padding_are_those_of_eager_code():
    index = torch.tensor([[1, 2, 2], [0, 6, 1]])
    weight = torch.randn(7, 20, requires_grad=True)

    def step(w):
        w.grad = None
        torch.nn.functional.embedding(index, w, padding_idx=2).square().sum().backward()

    step(weight)
    want = weight.grad.clone()
    compiled = torch.compile(step, fullgraph=True)
    for _ in range(4):
        compiled(weight)
    torch.testing.assert_close(weight.grad, want)
    assert not weight.grad[2].any()
