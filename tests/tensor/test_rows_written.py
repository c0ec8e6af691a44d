"""index_copy_ and index_add_ that nobody records: only the named rows are written."""

import numpy as np
import pytest

import chainrule as torch


@pytest.mark.parametrize("name", ["index_copy", "index_add"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_in_place_is_as_out_of_place(name, axis, dtype):
    x = torch.arange(60).reshape(3, 4, 5).to(dtype)
    index = torch.tensor([2, 0])
    shape = list(x.shape)
    shape[axis] = 2
    rows = torch.arange(int(np.prod(shape))).reshape(shape).to(dtype) - 7
    expected = getattr(torch, name)(x, axis, index, rows)
    memory, version = x.data_ptr(), x._version
    assert getattr(x, name + "_")(axis, index, rows) is x
    assert torch.equal(x, expected)
    assert x.data_ptr() == memory and x._version == version + 1


def test_rows_named_twice_are_added_twice():
    x = torch.zeros(3, 2)
    x.index_add_(0, torch.tensor([1, 1]), torch.ones(2, 2))
    assert x.tolist() == [[0, 0], [2, 2], [0, 0]]


def test_what_is_recorded_still_has_gradients():
    rows = torch.ones(2, 3, requires_grad=True)
    x = torch.zeros(4, 3)
    x.index_copy_(0, torch.tensor([3, 1]), rows)
    (x * torch.arange(4.0)[:, None]).sum().backward()
    assert rows.grad.tolist() == [[3.0] * 3, [1.0] * 3]


def test_a_saved_value_that_rows_overwrite_is_noticed():
    x = torch.ones(3, 2)
    w = torch.ones(2, requires_grad=True)
    y = (x * w).sum()
    x.index_copy_(0, torch.tensor([0]), torch.zeros(1, 2))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.parametrize("wrong", [[3], [-4], [0, 9]])
def test_a_wrong_index_changes_nothing(wrong):
    x = torch.ones(3, 2)
    with pytest.raises((IndexError, RuntimeError), match=r"out of (range|bounds)"):
        x.index_copy_(0, torch.tensor(wrong), torch.zeros(len(wrong), 2))
    assert torch.equal(x, torch.ones(3, 2))


def test_rows_of_itself_and_views_are_written_as_ever():
    x = torch.arange(6.0).reshape(3, 2)
    x.index_copy_(0, torch.tensor([0]), x[2:].clone())
    assert x.tolist() == [[4, 5], [2, 3], [4, 5]]
    x.t().index_copy_(0, torch.tensor([1]), torch.zeros(1, 3))
    assert x.tolist() == [[4, 0], [2, 0], [4, 0]]
    alias = torch.from_numpy(x.numpy())
    alias.index_copy_(0, torch.tensor([0, 1]), x[1:].clone())
    assert x.tolist() == [[2, 0], [4, 0], [4, 0]]
