"""Results of compiled functions lie in memory as those of eager code do."""

import pytest

import chainrule as torch

pytestmark = pytest.mark.jit

FORMS = {
    "expand": lambda x: (x * 2).expand(2, 4, 4),
    "expand rows": lambda x: (x[:1] * 2).expand(4, 4),
    "column": lambda x: (x * 2)[:, 1],
    "every other": lambda x: (x * 2)[::2, ::3],
    "diagonal": lambda x: (x * 2).diagonal(),
    "windows": lambda x: (x * 2).unfold(0, 2, 1),
    "transposed": lambda x: (x * 2).t(),
    "strided": lambda x: (x * 2).as_strided((3, 3), (1, 2)),
    "permuted": lambda x: (x * 2).reshape(2, 2, 4).permute(2, 0, 1),
    "one row": lambda x: (x * 2)[::4],
    "column of a row": lambda x: (x[:1] * 2).t(),
    "broadcast": lambda x: torch.broadcast_to((x * 2)[:, None], (4, 3, 4)),
    "part of expanded": lambda x: (x.sum(0) * 2).expand(3, 4)[:, 1:3],
}


@pytest.mark.parametrize("name", FORMS)
def test_strides_are_those_of_eager_code(name):
    compiled = torch.compile(FORMS[name])
    for _ in range(5):
        x = torch.arange(16.0).reshape(4, 4).requires_grad_()
        want, got = FORMS[name](x), compiled(x)
        assert got.stride() == want.stride()
        assert got.tolist() == want.tolist()
        assert torch.autograd.grad(got.sum(), x)[0].tolist() == (
            torch.autograd.grad(want.sum(), x)[0].tolist()
        )


def test_an_expanded_result_is_not_written_in_place():
    f = torch.compile(lambda x: (x * 2).expand(2, 3))
    for _ in range(5):
        with pytest.raises(RuntimeError, match="single memory location"):
            f(torch.ones(3)).add_(1)


@pytest.mark.parametrize(
    "part",
    [
        lambda x: (x * 2).split(3),
        lambda x: (x * 2).chunk(1),
        lambda x: (x * 2)[:1].unbind(),
        lambda x: x.split(3),
    ],
)
def test_a_single_piece_of_several_is_not_written_either(part):
    f = torch.compile(part)
    for _ in range(5):
        (piece,) = f(torch.ones(3, requires_grad=True) * 1)
        with pytest.raises(RuntimeError, match="function that returns multiple views"):
            piece.add_(1)
        (piece,) = f(torch.ones(3))
        piece.add_(1)


def test_writes_inside_are_counted_on_the_result():
    def f(x):
        y = x * 2
        y.add_(1).mul_(3)
        return y

    compiled = torch.compile(f)
    for _ in range(5):
        x = torch.ones(2, requires_grad=True)
        y = compiled(x)
        assert y._version == f(x)._version == 2
        y.sum().backward()
        assert x.grad.tolist() == [6.0, 6.0]


@pytest.mark.parametrize("take", [lambda t: t.data, lambda t: t.data[1:]])
def test_writes_through_data_are_not_counted(take):
    f = torch.compile(lambda x: (x * x, take(x)))
    for _ in range(5):
        x = torch.ones(2, requires_grad=True)
        y, data = f(x)
        data.mul_(5)
        assert x._version == 0
        y.sum().backward()
        assert x.grad[1].item() == 10.0  # what is saved is x itself


def test_writes_that_nobody_counts_do_not_reach_what_was_computed():
    """The product is kept for the backward pass, as in eager code, and not computed again."""
    p = torch.nn.Parameter(torch.ones(2))
    f = torch.compile(lambda x: (x * p).sin())
    for _ in range(5):
        p.data.fill_(1.0)
        x = torch.ones(2, requires_grad=True)
        y = f(x)
        p.data.mul_(2)
        y.sum().backward()
        assert x.grad.tolist() == pytest.approx([2 * 0.5403023] * 2)


def test_what_a_gradient_does_not_need_may_be_written():
    p = torch.nn.Parameter(torch.ones(2))
    f = torch.compile(lambda x: (x * p, p * 3))
    for _ in range(5):
        x = torch.ones(2)
        p.grad = None
        _, second = f(x)
        x.mul_(2)
        second.sum().backward()
        assert p.grad.tolist() == [3.0, 3.0]


def test_gradients_of_a_result_that_others_were_made_of_where_a_buffer_is_written():
    w = torch.ones(3)

    def f(x):
        y = torch.where(x > -1, x, w)
        w.mul_(0.5)
        return y, y.exp()

    compiled = torch.compile(f)
    for function in (f, compiled):
        for _ in range(5):
            w.fill_(2.0)
            x = torch.zeros(3, requires_grad=True)
            y, z = function(x)
            y.retain_grad()
            (y + z).sum().backward()
            assert y.grad.tolist() == [2.0] * 3
            assert x.grad.tolist() == [2.0] * 3


def test_other_memory_before_gradients_of_gradients_is_refused():
    p = torch.nn.Parameter(torch.ones(2))
    f = torch.compile(lambda x: (x * p).square().sum())
    for _ in range(5):
        f(torch.ones(2, requires_grad=True)).backward()
    x = torch.ones(2, requires_grad=True)
    y = f(x)
    p.data = torch.full((2,), 3.0)
    with pytest.raises(RuntimeError, match="got other memory"):
        torch.autograd.grad(y, x, create_graph=True)


def test_a_tensor_that_no_longer_requires_grad_before_gradients_of_gradients_is_refused():
    p = torch.nn.Parameter(torch.ones(2))
    f = torch.compile(lambda x: (x * p).square().sum())
    for _ in range(5):
        f(torch.ones(2, requires_grad=True)).backward()
    x = torch.ones(2, requires_grad=True)
    y = f(x)
    p.requires_grad_(False)
    with pytest.raises(RuntimeError, match="set to False between the call"):
        torch.autograd.grad(y, x, create_graph=True)
