"""Writes whose meaning would depend on an order of writing are refused."""

import warnings

import pytest

import chainrule as torch

SHARED = "some elements of the input tensor and the written-to tensor refer to a single memory"
SEVERAL = "more than one element of the written-to tensor refers to a single memory location"
INDEX = torch.tensor([5, 4, 3, 2, 1, 0])


def numbers():
    return torch.arange(6.0)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: torch.exp(x[:5], out=x[1:]),
        lambda x: torch.add(x[1:], 1, out=x[:5]),
        lambda x: torch.cumsum(x[1:], 0, out=x[:5]),
        lambda x: torch.where(x[1:] > 2, x[1:], x[:5], out=x[:5]),
        lambda x: x[:5].addcmul_(x[1:], x[1:]),
        lambda x: x[:5].clamp_(x[1:]),
    ],
)
def test_partly_shared_memory_is_refused(write):
    x = numbers()
    with pytest.raises(RuntimeError, match=SHARED):
        write(x)
    assert x.tolist() == list(range(6))  # nothing was written


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.index_add_(0, INDEX, x),
        lambda x: x.index_copy_(0, INDEX, x),
        lambda x: x.scatter_(0, INDEX, x),
        lambda x: x.scatter_add_(0, INDEX, x),
        lambda x: x.scatter_reduce_(0, INDEX, x, "sum"),
        lambda x: x.put_(INDEX, x),
        lambda x: x.index_put_((INDEX,), x),
        lambda x: x.__setitem__(INDEX, x),
        lambda x: x.__setitem__(INDEX[:5], x[1:]),
        lambda x: x.__setitem__(x >= 0, x),
        lambda x: torch.gather(x, 0, INDEX, out=x),
        lambda x: torch.index_select(x, 0, INDEX, out=x),
        lambda x: torch.take(x, INDEX, out=x),
        lambda x: torch.masked_select(x, x >= 0, out=x),
        lambda x: torch.cat([x[:3], x[3:]], out=x),
    ],
)
def test_indexed_reads_and_writes_must_not_meet(write):
    x = numbers()
    with pytest.raises(RuntimeError, match=SHARED):
        write(x)
    assert x.tolist() == list(range(6))


def test_the_same_elements_and_separate_ones_may_be_read_and_written():
    x = numbers()
    assert torch.exp(x, out=x) is x
    x = numbers()
    x[:3].add_(x[3:])
    assert x.tolist() == [3, 5, 7, 3, 4, 5]
    x[::2].mul_(x[1::2])
    assert x.tolist() == [15, 5, 21, 3, 20, 5]
    x.fill_(x[3])
    assert x.tolist() == [3] * 6


def test_a_0_dim_operand_of_fills_counts_as_a_number():
    x = numbers()
    x.masked_fill_(x > 3, x[1])
    x.index_fill_(0, torch.tensor([0]), x[3])
    assert x.tolist() == [3, 1, 2, 3, 1, 1]


def test_overlapping_windows_cannot_be_updated():
    x = numbers()
    with pytest.raises(RuntimeError, match=SEVERAL):
        x.unfold(0, 3, 1).add_(1)
    with pytest.raises(RuntimeError, match=SEVERAL):
        x.as_strided((3, 3), (1, 1)).mul_(2)
    x.unfold(0, 3, 3).add_(1)  # these windows have nothing in common
    x.as_strided((2, 2), (3, 2)).add_(1)
    assert x.tolist() == [2, 2, 4, 5, 5, 7]


def test_expanded_outputs_are_refused():
    with pytest.raises(RuntimeError, match=SEVERAL):
        torch.exp(numbers(), out=torch.zeros(1).expand(6))


@pytest.mark.parametrize("name", ["floor", "cumprod", "sort", "amax", "linalg.inv"])
def test_out_of_another_type_is_not_converted_where_pytorch_does_not(name):
    x = torch.eye(3)
    function = torch
    for part in name.split("."):
        function = getattr(function, part)
    more = {"cumprod": (0,), "amax": (0,)}.get(name, ())
    kwargs = {"dtype": torch.float32} if name == "cumprod" else {}
    out = torch.empty(0, dtype=torch.float64)
    if name == "sort":
        out = (out, torch.empty(0, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got doub"):
        function(x, *more, out=out, **kwargs)


@pytest.mark.parametrize(
    "call",
    [
        lambda out: torch.narrow_copy(torch.eye(3), 0, 1, 1, out=out),
        lambda out: torch.view_copy(torch.eye(3), (9,), out=out),
        lambda out: torch.unfold_copy(torch.eye(3), 0, 2, 1, out=out),
        lambda out: torch.nn.functional.linear(torch.eye(3), torch.eye(3), out=out),
        lambda out: torch.hash_tensor(torch.eye(3), out=out),
        lambda out: torch.max(torch.eye(3), 0, out=(out, torch.empty(0, dtype=torch.int64))),
    ],
)
def test_copies_products_and_pairs_keep_their_type_too(call):
    out = torch.empty(0, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"Expected out tensor to have dtype .* but got double"):
        call(out)
    assert out.numel() == 0


def test_results_without_places_are_converted():
    a, b = torch.tensor([1, 5, 2]), torch.tensor([3, 4, 2])
    out = torch.zeros(3, dtype=torch.float64)
    assert torch.max(a, b, out=out).tolist() == [3.0, 5.0, 2.0]
    assert torch.min(a, b, out=out).tolist() == [1.0, 4.0, 2.0] and out.dtype is torch.float64
    assert torch.max(a, out=torch.zeros((), dtype=torch.float64)).item() == 5.0
    differences = torch.diff(a, out=torch.zeros(2, dtype=torch.float64))
    assert differences.tolist() == [4.0, -3.0] and differences.dtype is torch.float64


def test_cumsum_computes_in_the_type_of_out():
    out = torch.empty(3, dtype=torch.int64)
    assert torch.cumsum(torch.tensor([1.9, 2.9, 3.0]), 0, out=out).tolist() == [1, 3, 6]


def test_resizing_an_output_that_has_elements_warns():
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        out = torch.exp(numbers(), out=torch.zeros(2))
    assert out.shape == (6,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.exp(numbers(), out=torch.zeros(0)).shape == (6,)


def test_a_tensor_that_requires_grad_in_a_list_or_by_name_counts():
    x = numbers().requires_grad_()
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.cat([x, x], out=torch.empty(0))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.addcmul(numbers(), tensor1=x, tensor2=numbers(), out=torch.empty(0))
