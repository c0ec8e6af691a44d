"""SPEC row: in-place and views, with history and version counters.

Expected gradients are those of the same program written without in-place operations.
"""

import numpy as np
import pytest

import chainrule as torch


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_views_share_memory_and_version():
    x = torch.zeros(2, 3)
    v = x[1].view(3, 1).transpose(0, 1)
    v.fill_(7)
    assert x[1].tolist() == [7, 7, 7] and x._version == v._version == 1
    assert v._is_view() and not x._is_view()


def test_write_through_a_view_of_a_view():
    x = leaf(1, 2, 3, 4, 5, 6)
    y = x * 1
    m = y.view(2, 3)
    col = m.t()[1]  # elements 1 and 4
    col.mul_(10)
    assert y.tolist() == [1, 20, 3, 4, 50, 6]
    (y * y).sum().backward()
    assert x.grad.tolist() == [2, 400, 6, 8, 1000, 12]


def test_base_written_after_the_view_was_made():
    x = leaf(1, 2, 3)
    y = x * 1
    v = y[1:]
    y.mul_(3)
    (v * v).sum().backward()
    assert x.grad.tolist() == [0, 36, 54] and v.tolist() == [6, 9]


def test_view_written_then_sibling_view_read():
    x = leaf(1, 2, 3, 4)
    y = x * 1
    first, middle = y[:2], y[1:3]
    first.mul_(5)
    middle.sum().backward()
    assert x.grad.tolist() == [0, 5, 1, 0]


def test_assigning_tracked_values_into_a_plain_buffer():
    b = leaf(1, 2, 3)
    buffer = torch.zeros(2, 3, dtype=torch.float64)
    row = buffer[0]
    buffer[0] = b * 2
    assert row.requires_grad and row.tolist() == [2, 4, 6]
    (buffer.sum() + (row * row).sum()).backward()
    assert b.grad.tolist() == [2 + 8, 2 + 16, 2 + 24]


def test_overwritten_values_get_no_gradient():
    x, z = leaf(1, 2, 3), leaf(5)
    y = x * 2
    y[1] = z[0] * 3
    (y * y).sum().backward()
    assert x.grad.tolist() == [8, 0, 24] and z.grad.tolist() == [90]


def test_in_place_needing_its_old_value():
    x, w = leaf(2.0), leaf(3.0)
    y = x * 1
    y.mul_(w)  # d/dw needs the old y
    y.mul_(w)
    y.backward()
    assert x.grad.item() == 9 and w.grad.item() == 12


def test_in_place_result_that_its_own_rule_saved():
    x = leaf(1.0)
    y = x * 1
    y.exp_()
    y.sum().backward()
    assert x.grad.item() == pytest.approx(np.e)


def test_in_place_double_backward():
    x = leaf(2.0, 3.0)
    y = x * 1
    y[0:1].pow_(3)
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    assert g.tolist() == [6 * 2.0**5, 6]
    g.sum().backward()
    assert x.grad.tolist() == [30 * 2.0**4, 2]


def test_modified_value_is_named_with_both_lines():
    x = leaf(1.0)
    y = x.exp()  # saves its result
    y.add_(1)  # spoils it
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    text = str(caught.value)
    assert "modified by an inplace operation" in text
    assert "exp (ExpBackward0)" in text and "saves its result" in text
    assert "add_ at" in text and "spoils it" in text
    assert "version 1; expected version 0" in text


def test_modified_through_a_view_is_caught_too():
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y * y
    y.view(2, 1)[0].zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_leaf_and_view_of_leaf_are_refused():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in"):
        x.add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[0].add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[0] = 5
    assert x.tolist() == [1, 2] and x._version == 0
    with torch.no_grad():
        x.add_(1)
        x[0] = 9
    assert x.tolist() == [9, 3] and x._version == 2


def test_view_made_under_no_grad_is_refused():
    x = leaf(1.0, 2.0) * 1
    with torch.no_grad():
        v = x[0]
    with pytest.raises(RuntimeError, match="created in no_grad mode and is being modified inplace"):
        v.mul_(2)


def test_one_of_several_views_is_refused():
    x = leaf(1.0, 2.0) * 1
    a, _ = x.unbind()
    with pytest.raises(RuntimeError, match="returns multiple views"):
        a.mul_(2)


def test_detached_alias_shares_the_version():
    x = leaf(2.0)
    y = x * 1
    z = y * y
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_data_does_not_move_the_version():
    x = leaf(2.0)
    y = x * 1
    z = y * y
    y.data.add_(1)
    z.backward()  # as in PyTorch: unnoticed, and the changed value is used
    assert x.grad.item() == 6


def test_shape_and_type_must_fit():
    a = torch.ones(3)
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast"):
        a.add_(torch.ones(2, 3))
    i = torch.ones(3, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output"):
        i.add_(1.5)
    assert i.tolist() == [1, 1, 1] and i._version == 0


def test_expanded_memory_is_refused():
    x = torch.ones(1).expand(3)
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        x.add_(1)


def test_operators_in_place():
    x = leaf(2.0)
    y = x * 1
    kept = y
    y += 1
    y *= 3
    y -= 2
    y /= 2
    assert y is kept
    y.backward()
    assert x.grad.item() == 1.5 and y.item() == 3.5


def test_index_put_and_masks():
    x, v = leaf(1, 2, 3, 4), leaf(10, 20)
    y = x * 1
    y[torch.tensor([0, 2])] = v
    y[y > 15] = 0.0
    (y * y).sum().backward()
    assert x.grad.tolist() == [0, 4, 0, 8] and v.grad.tolist() == [20, 0]


def test_in_place_history_does_not_leak():
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        x = leaf(1, 2, 3)
        y = x * 1
        y[1:].mul_(2)
        y[0] = 4.0
        node = weakref.ref(y.grad_fn)
        memory = weakref.ref(y)
        del y
        assert node() is None and memory() is None
    finally:
        gc.enable()
