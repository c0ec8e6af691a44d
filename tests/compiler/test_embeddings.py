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


@pytest.mark.parametrize("shape", [(9,), (9, 3), (9, 2, 40)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64], ids=str)
def test_selecting_and_adding_rows_are_loops(shape, dtype):
    x, index = torch.randn(shape).mul(9).to(dtype), torch.tensor([4, 0, 8, 4, 4])

    def rows(x, index):
        picked = x.index_select(0, index)
        return picked * 2, x.index_add(0, index, picked), x[index - 9]

    compiled = torch.compile(rows, fullgraph=True)
    for _ in range(4):
        results = compiled(x, index)
    for one, other in zip(results, rows(x, index), strict=True):
        torch.testing.assert_close(one, other)
    assert "extern" not in compiled.explain()


@pytest.mark.parametrize("wrong", [-1, 9])
def test_selected_rows_outside_are_errors_as_in_eager_code(wrong):
    x, index = torch.randn(9, 20), torch.tensor([1, 2])
    compiled = torch.compile(lambda x, i: x.index_select(0, i))
    for _ in range(4):
        compiled(x, index)
    for function in (compiled, lambda x, i: x.index_select(0, i)):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
            function(x, torch.tensor([1, wrong]))


@pytest.mark.parametrize("width", [2, 17, 33, 64, 300])
def test_sums_of_rows_do_not_depend_on_threads(width):
    index = torch.randint(0, 50, (2000,))
    values = torch.randn(2000, width)
    before, seen = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        seen.append(torch.ones(50, width).index_add(0, index, values))
    torch.set_num_threads(before)
    assert seen[0].equal(seen[1])
    expected = torch.ones(50, width, dtype=torch.float64).index_add(0, index, values.double())
    torch.testing.assert_close(seen[0].double(), expected, rtol=1e-5, atol=1e-4)


def test_sums_of_rows_that_are_added_up_by_number():
    """Messages along edges, weighed by one number each: their gradient is summed, then placed."""
    torch.manual_seed(0)
    source, target = torch.randint(0, 9, (2, 40))
    features = torch.randn(9, 4, 16, requires_grad=True)
    score = torch.randn(9, 4, requires_grad=True)

    def gradients():
        weight = torch.exp(score.index_select(0, source) + score.index_select(0, target))
        message = features.index_select(0, source) * weight.unsqueeze(-1)
        summed = torch.zeros(9, 4, 16).index_add(0, target, message)
        return torch.autograd.grad(summed.square().mean(), (features, score))

    compiled = torch.compile(gradients, fullgraph=True)
    for _ in range(4):
        for have, expected in zip(compiled(), gradients(), strict=True):
            torch.testing.assert_close(have, expected)
