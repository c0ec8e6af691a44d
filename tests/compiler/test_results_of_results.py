"""Results of a compiled function that other results of it were computed from.

Hooks, `retain_grad` and gradients with respect to such a result see its whole gradient: what comes
from outside, and what comes from the other results through the inside of the function.
"""

import pytest

import chainrule as torch

nn = torch.nn
pytestmark = pytest.mark.jit


def model():
    torch.manual_seed(0)
    first, second = nn.Linear(3, 4), nn.Linear(4, 2)

    def f(x):
        hidden = first(x)
        out = second(hidden.tanh())
        return hidden, out, (out * hidden[:, :2]).sum()

    return f, first


def retained(hidden, out, loss, x, weight):
    hidden.retain_grad()
    (loss * 2 + out.sum()).backward()
    return [hidden.grad, x.grad, weight.grad.clone()]


def with_respect_to_a_result(hidden, out, loss, x, weight):
    return torch.autograd.grad(loss + hidden.square().sum(), [hidden, out, x, weight])


def hooked(hidden, out, loss, x, weight):
    later = out.square().sum() + hidden.sum()  # it was used before the hook came
    seen = []
    hidden.register_hook(lambda g: g * 3)
    out.register_hook(lambda g: seen.append(g.clone()))
    (later + loss + hidden.cos().sum()).backward()
    return [*seen, x.grad, weight.grad.clone()]


def all_at_once(hidden, out, loss, x, weight):
    seen = []
    torch.autograd.graph.register_multi_grad_hook([hidden, out], seen.extend)
    loss.backward()
    return [*seen, x.grad]


def twice(hidden, out, loss, x, weight):
    (g,) = torch.autograd.grad(loss, hidden, create_graph=True)
    return torch.autograd.grad(g.square().sum(), [hidden, x, weight], allow_unused=True)


def inputs_of_backward(hidden, out, loss, x, weight):
    loss.backward(inputs=[hidden, x])
    return [hidden.grad, x.grad, torch.tensor(float(weight.grad is None))]


LOOKS = (retained, with_respect_to_a_result, hooked, all_at_once, twice, inputs_of_backward)


@pytest.mark.parametrize("look", LOOKS, ids=lambda f: f.__name__)
def test_the_whole_gradient_of_a_result_is_seen(look):
    def run(wrap):
        f, first = model()
        f = wrap(f)
        found = []
        for k in range(6):
            first.weight.grad = None
            x = torch.full((2, 3), 0.1 * k + 0.2).requires_grad_()
            found.append(look(*f(x), x, first.weight))
        return found

    for got, want in zip(run(torch.compile), run(lambda f: f), strict=True):
        for a, b in zip(got, want, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert torch.allclose(a, b, atol=1e-6), (a, b)


def _slice_read(x, w):
    h = x @ w
    part = h[0]
    return h, part, (part.sin() * 2).sum()


def _flat_read(x, w):
    h = x @ w
    flat = h.view(-1)
    return flat, h, flat.tanh().sum() + h.square().sum()


def _chunks_read(x, w):  # as autoencoders return them
    mean, spread = (x @ w).chunk(2, dim=1)
    return mean, spread, (mean + spread.exp()).sin().sum()


def _turned_read(x, w):
    h = x @ w
    turned = h.t()
    return h, turned, (turned.sin() @ h).sum()


def _part_of_an_argument(x, w):
    part = x[0]
    return part, x * 1, part.sin().sum() + w.sum()


def _taken_twice(x, w):
    h = x @ w
    return h, h[0], h[0].sin().sum()  # what is read is another view


def _retained_both(one, two, loss, x, w):
    one.retain_grad()
    two.retain_grad()
    (loss * 2 + one.square().sum() + two.sum() * 3).backward()
    return [one.grad, two.grad, x.grad, w.grad]


def _hooked_late(one, two, loss, x, w):
    later = loss * 2 + one.square().sum() + two.sum() * 3  # they were used before the hooks came
    seen = []
    one.register_hook(lambda g: seen.append(g.clone()))
    two.register_hook(lambda g: g * 3)
    later.backward()
    return [*seen, x.grad, w.grad]


def _differentiated_twice(one, two, loss, x, w):
    first = torch.autograd.grad(loss, [one, two], create_graph=True, allow_unused=True)
    total = sum(g.square().sum() for g in first if g is not None)
    found = [] if not total.requires_grad else torch.autograd.grad(total, [x, w], allow_unused=True)
    return [*first, *found]


def _written(one, two, loss, x, w):
    total = loss + (one * 1).sum()
    two.mul_(2)
    two.register_hook(lambda g: g * 3)
    (total + two.sin().sum()).backward()
    return [one.detach(), two.detach(), x.grad, w.grad]


SHARING = (_slice_read, _flat_read, _chunks_read, _turned_read, _part_of_an_argument, _taken_twice)
LOOKS_AT_BOTH = (_retained_both, _hooked_late, _differentiated_twice)


def _outcomes(f, look):
    found = []
    for k in range(5):
        x = (torch.arange(6.0).reshape(2, 3) * 0.1 + 0.1 * k).requires_grad_()
        w = torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()
        found.append(look(*f(x, w), x, w))
    return found


@pytest.mark.parametrize("look", LOOKS_AT_BOTH, ids=lambda f: f.__name__)
@pytest.mark.parametrize("f", SHARING, ids=lambda f: f.__name__)
def test_results_that_share_memory_and_are_read_show_their_whole_gradient(f, look):
    _assert_as_eager(f, look)


def test_results_that_share_memory_and_are_written():
    def read(x, w):
        h = x @ w
        part = h[0]
        return h, part, (part * 2).sum()

    _assert_as_eager(read, _written)


def _assert_as_eager(f, look):
    for got, want in zip(_outcomes(torch.compile(f), look), _outcomes(f, look), strict=True):
        for a, b in zip(got, want, strict=True):
            assert (a is None) == (b is None)
            if b is not None:
                assert torch.allclose(a, b, atol=1e-5), (a, b)


def test_a_graph_is_freed_once_and_says_so():
    f, _ = model()
    f = torch.compile(f)
    for _ in range(5):
        hidden, _, loss = f(torch.ones(2, 3))
        torch.autograd.grad(loss, hidden)
        with pytest.raises(RuntimeError, match="second time"):
            torch.autograd.grad(loss, hidden)


def test_a_view_of_a_parameter_among_the_results_and_second_derivatives():
    weight = nn.Parameter(torch.tensor([[0.5, 1.0], [2.0, 3.0]]))

    def run(wrap):
        f = wrap(lambda x: (weight[0], x @ weight))
        found = []
        for _ in range(5):
            x = torch.full((2, 2), 0.3).requires_grad_()
            part, out = f(x)
            g = torch.autograd.grad(
                part.sin().sum() + out.sin().sum(), [x, weight], create_graph=True
            )
            loss = sum(q.square().sum() for q in g)
            found.append(torch.autograd.grad(loss, [x, weight]))
        return found

    for got, want in zip(run(torch.compile), run(lambda f: f), strict=True):
        for a, b in zip(got, want, strict=True):
            assert torch.allclose(a, b, atol=1e-6)


def test_batches_of_gradients_have_no_history():
    f = torch.compile(lambda x: x.sin().unbind(0))
    for _ in range(5):
        x = torch.tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True)
        out = f(x)[0]
        (g,) = torch.autograd.grad(out, x, torch.eye(2), is_grads_batched=True)
        assert not g.requires_grad and g.shape == (2, 2, 2)
        assert torch.allclose(g[:, 0], torch.diag(x[0].detach().cos()))


class Through(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g * 3


def test_rules_of_the_user_are_never_replaced_by_others():
    f = torch.compile(lambda x: Through.apply(x * 2) * x)
    for k in range(6):
        x = torch.tensor([1.3, 2.6], requires_grad=True)
        (g,) = torch.autograd.grad(f(x).sum(), x)
        assert g.tolist() == pytest.approx([1.3 * 6 + 3, 2.6 * 6 + 5])
        if k > 3:
            with pytest.raises(RuntimeError, match=r"autograd\.Function"):
                torch.autograd.grad(f(x).sum(), x, create_graph=True)
