"""Results that may be modified in place: what backward needs of them is kept or made again."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F


def values(*shape, low=0.2, high=0.9):
    drawn = np.random.default_rng(0).uniform(low, high, shape)
    return torch.tensor(drawn, requires_grad=True)


def layer(kind, *args, **options):
    torch.manual_seed(0)
    module = kind(*args, **options).double()
    return lambda x: module(x)[0]


RESULTS = {
    "x ** 2": (lambda x: x**2, (3, 4)),
    "x ** 3.0": (lambda x: x**3.0, (3, 4)),
    "x ** -1": (lambda x: x**-1, (3, 4)),
    "x ** constant": (lambda x: x ** torch.full((4,), 1.5, dtype=torch.float64), (3, 4)),
    "x / 3": (lambda x: x / 3, (3, 4)),
    "3 / x": (lambda x: 3 / x, (3, 4)),
    "x / y": (lambda x: x / (x * x), (3, 4)),
    "x / row": (lambda x: x / x.sum(0), (3, 4)),
    "softsign": (F.softsign, (3, 4)),
    "normalize": (F.normalize, (3, 4)),
    "erfinv": (torch.erfinv, (3, 4)),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2), (1, 4, 3)),
    "lp_pool": (lambda x: F.lp_pool2d(x, 2, 2), (1, 2, 4, 4)),
    "max_pool1d": (lambda x: F.max_pool1d(x, 2), (1, 2, 6)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (1, 2, 6, 6)),
    "max_pool2d overlapping": (lambda x: F.max_pool2d(x, 3, 1, 1), (1, 2, 6, 6)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), (1, 2, 4, 4, 4)),
    "gru": (layer(nn.GRU, 3, 4), (5, 2, 3)),
    "gru of two layers": (layer(nn.GRU, 3, 4, num_layers=2), (5, 2, 3)),
    "lstm": (layer(nn.LSTM, 3, 4), (5, 2, 3)),
    "lstm batch_first": (layer(nn.LSTM, 3, 4, batch_first=True), (5, 2, 3)),
    "lstm projected": (layer(nn.LSTM, 3, 4, proj_size=2), (5, 2, 3)),
    "rnn": (layer(nn.RNN, 3, 4), (5, 2, 3)),
    "rnn relu": (layer(nn.RNN, 3, 4, nonlinearity="relu"), (5, 2, 3)),
    "attention": (lambda x: F.scaled_dot_product_attention(x, 2 * x, x + 1), (2, 4, 3)),
    "cov": (torch.cov, (3, 4)),
    "multilabel margin": (
        lambda x: F.multilabel_margin_loss(x, torch.tensor([[0, 2, -1, 1]] * 3)), (3, 4),
    ),
    "cross entropy of shares": (
        lambda x: F.cross_entropy(x, torch.full((3, 4), 0.25, dtype=torch.float64)), (3, 4),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_gradient_after_the_result_was_modified(name):
    function, shape = RESULTS[name]
    x = values(*shape)
    (expected,) = torch.autograd.grad(1.5 * function(x).sum(), x)
    y = function(x)
    y.mul_(1.5).add_(1)
    (found,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["x / y", "max_pool2d", "gru", "lstm", "attention"])
def test_second_gradient_after_the_result_was_modified(name):
    function, shape = RESULTS[name]
    x = values(*shape)

    def second(y):
        (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
        return torch.autograd.grad((g * g).sum(), x)[0]

    expected = second(function(x) * 1.5 + 1)
    assert torch.allclose(second(function(x).mul_(1.5).add_(1)), expected, rtol=1e-10)


@pytest.mark.parametrize("name", ["x ** 2", "x / y", "max_pool2d", "gru"])
def test_compiled_steps_may_modify_results_too(name):
    function, shape = RESULTS[name]
    x = values(*shape)
    (expected,) = torch.autograd.grad(1.5 * function(x).sum(), x)
    step = torch.compile(lambda t: function(t).mul_(1.5).add_(1).sum())
    for _ in range(3):
        x.grad = None
        step(x).backward()
        assert torch.allclose(x.grad, expected, rtol=1e-12)


def test_pooling_then_an_activation_in_place():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2), nn.ReLU(inplace=True), nn.Flatten())
    x = torch.randn(2, 1, 8, 8)
    net(x).sum().backward()
    found = net[0].weight.grad.clone()
    net.zero_grad()
    F.relu(F.max_pool2d(F.conv2d(x, net[0].weight, net[0].bias), 2)).sum().backward()
    assert torch.equal(found, net[0].weight.grad)


def test_a_part_of_a_recurrent_result_may_be_overwritten():
    function, shape = RESULTS["gru"]
    x = values(*shape)
    (expected,) = torch.autograd.grad(function(x)[1:].sum(), x)
    y = function(x)
    y[0] = 0.0
    (found,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "function",
    [torch.exp, torch.sqrt, torch.tanh, torch.sigmoid, F.relu, lambda x: F.softmax(x, 1),
     lambda x: torch.tensor(2.0) ** x, lambda x: x.norm(dim=1), torch.rsqrt],
)  # fmt: skip
def test_results_that_rules_need_are_still_watched(function):
    y = function(values(3, 4))
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_operands_that_no_wanted_rule_needs_may_be_modified():
    x = values(3, 4)
    z = x * x
    y = torch.rsqrt(z)
    z.add_(1)
    (found,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(found, -1 / (x * x))
    z = x * x
    y = 3 / z
    z.add_(1)
    (found,) = torch.autograd.grad(y.add_(1).sum(), x)
    assert torch.allclose(found, -6 / (x * x * x))
    radius, angle = values(3), values(3).detach()
    turned = torch.polar(radius * 1, angle)
    (found,) = torch.autograd.grad(turned.real.sum(), radius)
    assert torch.allclose(found, torch.cos(angle))
    near, far = x * 1, torch.zeros(3, 4, dtype=torch.float64)
    loss = F.smooth_l1_loss(near, far, beta=0.0, reduction="sum")
    near.add_(1)
    assert torch.equal(torch.autograd.grad(loss, x)[0], torch.ones(3, 4, dtype=torch.float64))


# ---- outputs that are leaves ---------------------------------------------------------------------


def test_gradients_of_a_leaf_given_as_several_outputs_add_up():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    one, two = torch.tensor([1.0, 10.0]), torch.tensor([2.0, 3.0])
    assert torch.autograd.grad([x, x], x, [one, two])[0].tolist() == [3.0, 13.0]
    assert torch.autograd.grad([x, 2 * x], x, [one, two])[0].tolist() == [5.0, 16.0]
    assert torch.autograd.grad([2 * x, x], x, [one, two])[0].tolist() == [4.0, 23.0]
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    torch.autograd.backward([x, 3 * x, x], [one, two, two])
    assert seen == [[9.0, 22.0]]
    assert x.grad.tolist() == [9.0, 22.0]


def test_second_gradients_by_a_gradient_that_went_two_ways():
    a, b, g = (torch.ones(2, requires_grad=True) for _ in range(3))
    by_a, by_b = torch.autograd.grad(a - b, [a, b], g, create_graph=True)
    weights = [torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])]
    assert torch.autograd.grad([by_a, by_b], g, weights)[0].tolist() == [-9.0, -18.0]
    by_a, by_b = torch.autograd.grad(a + b, [a, b], g, create_graph=True)
    assert torch.autograd.grad([by_a, by_b], g, weights)[0].tolist() == [11.0, 22.0]


MADE_AGAIN = ["max_pool1d", "max_pool2d", "max_pool3d", "gru", "lstm", "rnn", "rnn relu"]


@pytest.mark.parametrize("name", [*MADE_AGAIN, "attention"])
def test_gradient_after_the_result_was_modified_through_data(name):
    # No version tells of it. The rules read the modified values of rnn and max_pool1d.
    function, shape = RESULTS[name]
    x = values(*shape)
    modified = function(x).detach() * 1.5 + 1
    (expected,) = torch.autograd.grad(function(x), x, 2 * modified)
    for part in (lambda y: y, lambda y: y[...]):
        y = function(x)
        part(y).data.mul_(1.5).add_(1)
        (found,) = torch.autograd.grad((y * y).sum(), x)
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-12)


@pytest.mark.parametrize("handed_out", [lambda t: t.numpy(), np.asarray, np.from_dlpack])
@pytest.mark.parametrize("name", ["RNN", "max_pool1d"])
def test_gradient_after_the_result_was_modified_by_numpy(name, handed_out):
    function = {"RNN": layer(nn.RNN, 3, 2), "max_pool1d": lambda x: F.max_pool1d(x, 2)}[name]
    x = values(2, 4, 3)
    (want,) = torch.autograd.grad(function(x).sum(), x)
    y = function(x)
    handed_out(y.detach())[...] = 0.5
    (got,) = torch.autograd.grad(y.sum(), x)
    assert np.allclose(got, want)


@pytest.mark.parametrize(
    "extreme",
    [lambda x: x.amax(0), lambda x: torch.linalg.vector_norm(x, np.inf, 0)],
)
def test_a_changed_extreme_that_nothing_equals_has_no_gradient(extreme):
    # Zeros would be wrong without a word.
    x = torch.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
    y = extreme(x)
    y.data.add_(1)
    y.sum().backward()
    assert x.grad.isnan().all()
