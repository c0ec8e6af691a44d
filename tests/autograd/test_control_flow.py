"""Control flow as function calls: values, gradients, transforms, refusals."""

import pytest

import chainrule as torch
from chainrule._higher_order_ops import associative_scan, scan, while_loop
from chainrule._higher_order_ops.while_loop import while_loop as same_loop


def doubled_until(limit):
    return lambda x: while_loop(lambda y: y.sum() < limit, lambda y: (2 * y,), (x,))[0]


def test_while_loop_runs_until_the_condition_fails():
    i, x = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * x), (torch.tensor(0),
                      torch.tensor([1.0, 2.0])))  # fmt: skip
    assert i.item() == 3 and x.tolist() == [1.0, 256.0]
    assert same_loop is while_loop


def test_while_loop_has_derivatives():
    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    run = lambda t: doubled_until(10.0)(t).pow(3).sum()  # noqa: E731
    assert torch.autograd.gradcheck(run, (x,)) and torch.autograd.gradgradcheck(run, (x,))
    value, tangent = torch.func.jvp(doubled_until(10.0), (x.detach(),), (torch.ones_like(x),))
    assert value.tolist() == [4.0, 12.0] and tangent.tolist() == [8.0, 8.0]


def test_while_loop_of_no_steps_gives_what_it_was_given():
    x = torch.ones(2)
    assert while_loop(lambda t: False, lambda t: (t + 1,), (x,))[0] is x


@pytest.mark.parametrize(
    ("condition", "body", "phrase"),
    [
        (lambda x: x > 0, lambda x: (x,), "boolean scalar"),
        (lambda x: True, lambda x: (x[:1],), "changes value 0"),
        (lambda x: True, lambda x: (x.double(),), "changes value 0"),
        (lambda x: True, lambda x: (x, x), "same structure"),
        (None, lambda x: (x,), "callable"),
    ],
)
def test_while_loop_refuses(condition, body, phrase):
    with pytest.raises(RuntimeError, match=phrase):
        while_loop(condition, body, (torch.ones(2),))


def test_scan_is_a_loop_with_a_carry():
    xs = torch.arange(6.0).reshape(3, 2).requires_grad_()
    carry, ys = scan(lambda c, x: (c + x, c * x), torch.ones(2), xs)
    assert torch.equal(carry, 1 + xs.sum(0))
    assert ys.tolist() == [[0.0, 1.0], [2.0, 6.0], [12.0, 25.0]]
    ys.sum().backward()
    assert xs.grad.tolist() == [[7.0, 9.0], [5.0, 7.0], [3.0, 5.0]]
    back, rows = scan(lambda c, x: (c + x, c + x), torch.zeros(2), xs.detach(), reverse=True)
    assert back.tolist() == [6.0, 9.0] and rows[0].tolist() == [6.0, 9.0]


def test_scan_refuses_what_it_cannot_loop_over():
    with pytest.raises(RuntimeError, match="one length along dim 0"):
        scan(lambda c, x: (c, c), torch.ones(1), (torch.ones(2), torch.ones(3)))
    with pytest.raises(RuntimeError, match="changes value 0"):
        scan(lambda c, x: (c[:1], c), torch.ones(2), torch.ones(3))


@pytest.mark.parametrize("dim", [0, 1])
def test_associative_scan_gives_all_prefixes(dim):
    x = torch.rand(3, 4, dtype=torch.float64)
    assert torch.allclose(associative_scan(torch.add, x, dim), x.cumsum(dim))
    flipped = associative_scan(torch.mul, x, dim, reverse=True)
    assert torch.allclose(flipped, x.flip(dim).cumprod(dim).flip(dim))


def test_cond_has_derivatives():
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    torch.cond(x.sum() > 4, lambda t: t.square(), lambda t: -t, (x,)).sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]
