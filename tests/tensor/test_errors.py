"""Errors of shapes, types and memory say what, where, why and how to fix it.

PyTorch's phrases are tested with the samples and the recorded programs; here it is our part.
"""

import numpy as np
import pytest

import chainrule as torch


def message(call) -> str:
    with pytest.raises((RuntimeError, ValueError, TypeError, IndexError)) as error:
        call()
    return str(error.value)


SITES = {
    "view": lambda: torch.ones(2, 3).t().view(6),
    "reshape": lambda: torch.ones(2, 3).reshape(4),
    "expand": lambda: torch.ones(2, 3).expand(4, 3),
    "transpose": lambda: torch.ones(2, 3).transpose(0, 5),
    "permute": lambda: torch.ones(2, 3).permute(0),
    "cat": lambda: torch.cat([torch.ones(2, 3), torch.ones(2)]),
    "stack": lambda: torch.stack([torch.ones(2), torch.ones(3)]),
    "split": lambda: torch.ones(4).split([1, 2]),
    "select": lambda: torch.ones(2).select(0, 5),
    "narrow": lambda: torch.ones(2).narrow(0, 1, 5),
    "diagonal": lambda: torch.ones(2, 2).diagonal(0, 1, 1),
    "unfold": lambda: torch.ones(2).unfold(0, 3, 1),
    "as_strided": lambda: torch.ones(2).as_strided((9,), (1,)),
    "item": lambda: torch.ones(2).item(),
    "bool": lambda: bool(torch.ones(2)),
    "numpy": lambda: torch.ones(2, requires_grad=True).numpy(),
    "leaf": lambda: torch.ones(2, requires_grad=True).add_(1),
    "view of leaf": lambda: torch.ones(2, requires_grad=True)[0].add_(1),
    "overlap": lambda: torch.ones(1).expand(2).add_(1),
    "integers": lambda: torch.ones(2, dtype=torch.int64).requires_grad_(),
    "from_numpy": lambda: torch.from_numpy(np.ones(3)[::-1]),
    "copy_": lambda: torch.ones(2).copy_(torch.ones(3)),
    "fill_": lambda: torch.ones(2).fill_(torch.ones(2)),
    "resize_": lambda: torch.ones(2, requires_grad=True).resize_(3),
    "device": lambda: torch.ones(2, device="cuda"),
    "dtype": lambda: torch.zeros(2, dtype="float32"),
    "meshgrid": lambda: torch.meshgrid(torch.ones(2, 2), indexing="ij"),
    "dropout": lambda: torch.nn.functional.dropout(torch.ones(2), 2.0),
    "to": lambda: torch.ones(2).to(object()),
    "arange": lambda: torch.arange(0, 5, -1),
}


@pytest.mark.parametrize("name", SITES)
def test_the_users_line_is_named(name):
    text = message(SITES[name])
    assert "test_errors.py:" in text, text
    assert "in <lambda>" in text or "SITES" in text, text


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (SITES["view"], ["shape [3, 2] with strides [1, 3] cannot be read as [6]", ".reshape"]),
        (SITES["reshape"], ["'[4]' is invalid for input of size 6", "product of the new shape"]),
        (SITES["cat"], ["got 2 and 1", "shapes [[2, 3], [2]]"]),
        (SITES["bool"], ["its shape is [2]", "Fix: reduce it first, with .any() or .all()"]),
        (SITES["numpy"], ["gradients would be lost"]),
        (SITES["leaf"], ["add_ on a tensor of shape [2]", "Fix: wrap the update in `with"]),
        (SITES["integers"], ["torch.int64", "Fix: convert it first"]),
        (SITES["transpose"], ["[-2, 1]", "but got 5", "dim=5 for a tensor of 2 dimensions"]),
        (SITES["device"], ["device 'cuda' is not available", "Fix: use device='cpu'"]),
        (SITES["to"], ["'object' is neither a dtype, a device nor a tensor", "Fix: to(dtype)"]),
    ],
)
def test_values_reasons_and_fixes_are_said(call, parts):
    text = message(call)
    for part in parts:
        assert part in text, text


def test_an_in_place_error_names_both_lines():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.mul_(2)  # the writer
    with pytest.raises(RuntimeError) as error:
        y.sum().backward()
    text = str(error.value)
    assert "needed by:   exp (ExpBackward0) at test_errors.py" in text
    assert "y = x.exp()" in text
    assert "modified by: mul_ at test_errors.py" in text
    assert "y.mul_(2)  # the writer" in text


def test_a_refused_write_changes_nothing():
    x = torch.zeros(3, requires_grad=True)
    y = torch.ones(1).expand(3)
    for write in (lambda: x.add_(1), lambda: y.add_(1), lambda: x[0].fill_(5)):
        with pytest.raises(RuntimeError):
            write()
    assert x.tolist() == [0.0] * 3
    assert y.tolist() == [1.0] * 3
    assert (x._version, y._version) == (0, 0)


def test_looking_for_the_gradient_of_a_result_warns_once_it_is_useless():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    with pytest.warns(UserWarning, match="is not a leaf Tensor is being accessed") as seen:
        assert y.grad is None
    assert "test_errors.py" in seen[0].filename
    y.retain_grad()
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]
    assert x.detach().grad is None
