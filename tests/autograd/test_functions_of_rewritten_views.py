"""An autograd.Function of a view whose base was written after the view was taken."""

import pytest

import chainrule as torch
from chainrule.utils.checkpoint import checkpoint


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def checkpointed(v):
    return checkpoint(lambda t: t * 2, v, use_reentrant=True)


# The function, and whether the gradient is asked for by `autograd.grad`.
CASES = {
    "grad": (Double.apply, True),
    "backward": (Double.apply, False),
    "checkpoint": (checkpointed, False),
}


def _grad_of(leaf):
    assert leaf.grad is not None
    return leaf.grad


def _gradient(f, view, history_by_write, asked):
    leaf = torch.tensor([[1.0, 2], [3, 4]], requires_grad=True)
    base = torch.ones(2, 2) if history_by_write else leaf * 1
    v = view(base)
    base.mul_(leaf * 1 if history_by_write else 3)
    result = f(v).sum()
    if asked:
        return torch.autograd.grad(result, leaf)[0].tolist()
    result.backward()
    return _grad_of(leaf).tolist()


@pytest.mark.parametrize("history_by_write", [False, True])
@pytest.mark.parametrize(("f", "asked"), CASES.values(), ids=CASES)
def test_gradients_reach_the_base(f, asked, history_by_write):
    for view in (lambda b: b[0], lambda b: b.t(), lambda b: b.diagonal()):
        expected = _gradient(lambda v: v * 2, view, history_by_write, asked)
        assert _gradient(f, view, history_by_write, asked) == expected


def test_the_same_inside_of_compiled_functions():
    def f(x):
        base = x * 1
        row = base[0]
        base.mul_(3)
        return Double.apply(row)

    compiled = torch.compile(f)
    for _ in range(4):
        x = torch.ones(2, 2, requires_grad=True)
        compiled(x).sum().backward()
        assert _grad_of(x).tolist() == [[6, 6], [0, 0]]


class Triple(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


def test_the_same_under_transforms():
    def f(x):
        base = x * 1
        row = base[0]
        base.mul_(2)
        return Triple.apply(row).sum()

    assert torch.func.grad(f)(torch.ones(2, 2)).tolist() == [[6, 6], [0, 0]]
    assert torch.func.vjp(f, torch.ones(2, 2))[1](torch.tensor(1.0))[0].tolist() == [[6, 6], [0, 0]]


class AddInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.add_(y)

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


def test_functions_that_write_views_of_one_base_one_after_the_other():
    root = torch.ones(4, 4, requires_grad=True)
    added = torch.ones(2, 2, requires_grad=True)
    x = root.clone()
    AddInPlace.apply(x.narrow(1, 2, 2).narrow(0, 1, 2), added)
    AddInPlace.apply(x.narrow(1, 0, 2).narrow(0, 1, 2), added)
    gradients = torch.autograd.grad((x * 2).sum(), (root, added))
    assert gradients[0].tolist() == [[2.0] * 4] * 4
    assert gradients[1].tolist() == [[4.0] * 2] * 2
