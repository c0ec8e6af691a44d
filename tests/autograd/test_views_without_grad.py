"""Views made under no_grad: they count as requiring grad, and take none."""

import pytest

import chainrule as torch


def view_and_factor():
    base = torch.tensor([[0.5, 2.0], [3.0, -1.0]], requires_grad=True)
    with torch.no_grad():
        view = base[0]
    return base, view, torch.tensor([2.0, 5.0])


OPS = {
    "mul": lambda p, v: p * v,
    "mm": lambda p, v: torch.outer(p, v),
    "atan2": torch.atan2,
    "lerp": lambda p, v: torch.lerp(p, v, 0.3),
    "layer_norm": lambda p, v: torch.nn.functional.layer_norm(v, (2,), p),
    "cat": lambda p, v: torch.cat([p, v]),
    "max": lambda p, v: v.max(0)[0],
    "softmax": lambda p, v: v.softmax(0),
    "mse": lambda p, v: torch.nn.functional.mse_loss(p, v, reduction="none"),
}


@pytest.mark.parametrize("name", OPS)
def test_nothing_is_kept_for_them(name):
    base, view, factor = view_and_factor()
    result = OPS[name](factor, view)
    assert result.requires_grad and result.grad_fn is not None
    assert all(node is None for node, _ in result.grad_fn.next_functions)
    factor.mul_(2)
    result.sum().backward()
    assert base.grad is None


def test_the_other_operand_gets_its_gradient():
    base, view, factor = view_and_factor()
    factor.requires_grad_()
    (factor * view * view).sum().backward()
    assert factor.grad.tolist() == [0.25, 4.0] and base.grad is None
