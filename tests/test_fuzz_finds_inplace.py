"""Writes in place on which the fuzzer found a wrong gradient."""

import chainrule as torch


def test_an_operand_that_is_another_view_of_the_memory_written_to():
    # y - y is zero whatever x is. The operand's view went on with the history from before.
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    doubled = x * 2
    row = doubled.flatten()
    row[...].sub_(row)
    row.sin().sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_tensor_times_itself_in_place():
    # The rule read the operand after it had been overwritten. (PyTorch refuses in backward.)
    for operand in (lambda t: t, lambda t: t[...], lambda t: t.view(2)):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        doubled = x * 2
        doubled.mul_(operand(doubled))  # 4 x²
        doubled.sum().backward()
        assert x.grad.tolist() == [8.0, 16.0]


def test_a_view_of_what_was_multiplied_by_it():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    doubled = x * 2
    part = doubled[...]
    doubled.mul_(part)
    part.sum().backward()
    assert x.grad.tolist() == [8.0, 16.0]


def test_views_that_were_made_without_recording_end_gradients_of_any_shape():
    # The pass added up what reached them, and their shapes did not fit.
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 2
    with torch.no_grad():
        row, column = y[0], y[:, 0]
    (row.sum() + (column * column).sum() + y.sum()).backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2
