"""Second gradients of functions made of straight pieces: zeros in the graph, not an error."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F


def values(*shape):
    return torch.tensor(np.random.default_rng(0).standard_normal(shape), requires_grad=True)


PIECES = {
    "relu": (F.relu, (3, 4)),
    "leaky_relu": (F.leaky_relu, (3, 4)),
    "relu6": (F.relu6, (3, 4)),
    "batch_norm": (
        lambda x: F.batch_norm(x, torch.zeros(4).double(), torch.ones(4).double()),
        (3, 4),
    ),
    "hardtanh": (F.hardtanh, (3, 4)),
    "threshold": (lambda x: F.threshold(x, 0.1, 2.0), (3, 4)),
    "hardshrink": (F.hardshrink, (3, 4)),
    "softshrink": (F.softshrink, (3, 4)),
    "rrelu": (lambda x: F.rrelu(x, training=True), (3, 4)),
    "max_pool1d": (lambda x: F.max_pool1d(x, 2), (1, 2, 6)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (1, 2, 6, 6)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), (1, 2, 4, 4, 4)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), (1, 2, 6, 6)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 4), (1, 2, 6, 6)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, 4), (1, 2, 6, 6)),
    "fractional_max_pool2d": (lambda x: F.fractional_max_pool2d(x, 2, 3), (1, 2, 6, 6)),
    "reflect": (lambda x: F.pad(x, (1, 1), "reflect"), (2, 6)),
    "replicate": (lambda x: F.pad(x, (1, 1), "replicate"), (2, 6)),
    "nll_loss": (lambda x: F.nll_loss(x, torch.tensor([0, 1, 3])), (3, 4)),
    "softmax of one": (lambda x: F.softmax(x, 0), ()),
    "softmin of one": (lambda x: F.softmin(x, 0), ()),
}


@pytest.mark.parametrize("name", PIECES)
def test_second_gradient_is_zeros(name):
    function, shape = PIECES[name]
    x = values(*shape)
    (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    assert g.requires_grad
    (second,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    assert torch.equal(second, torch.zeros_like(x))
    (third,) = torch.autograd.grad(second.sum(), x)
    assert torch.equal(third, torch.zeros_like(x))


@pytest.mark.parametrize("name", ["relu", "max_pool2d"])
def test_plain_backward_leaves_zeros(name):
    function, shape = PIECES[name]
    x = values(*shape)
    (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    g.sum().backward()
    assert torch.equal(x.grad, torch.zeros_like(x))


def test_backward_into_chosen_inputs_leaves_zeros_there():
    x, w = values(3), values(3)
    (g,) = torch.autograd.grad(F.relu(x * w).sum(), x, create_graph=True)
    g.sum().backward(inputs=[x])
    assert torch.equal(x.grad, torch.zeros_like(x))
    assert w.grad is None


def test_batched_gradients_belong_to_the_graph():
    x = values(3)
    rows = torch.eye(3, dtype=torch.float64)
    (g,) = torch.autograd.grad(F.relu(x), x, rows, is_grads_batched=True, create_graph=True)
    assert torch.equal(g, torch.diag((x > 0).double()))
    assert torch.equal(torch.autograd.grad(g.sum(), x)[0], torch.zeros_like(x))


def test_zeros_reach_tensors_before_the_function_and_between():
    x, w = values(3), values(3)
    product = x * w
    (g,) = torch.autograd.grad(F.relu(product).sum(), product, create_graph=True)
    found = torch.autograd.grad(g.sum(), [product, x, w])
    assert all(torch.equal(f, torch.zeros(3, dtype=torch.float64)) for f in found)


def test_zeros_do_not_replace_gradients_that_come_another_way():
    x, w = values(3), torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(F.relu(x * w).sum(), x, create_graph=True)
    positive = (x * w > 0).double()
    by_w, by_x = torch.autograd.grad(g.sum(), [w, x], retain_graph=True)
    assert torch.equal(by_w, positive)
    assert torch.equal(by_x, torch.zeros(3, dtype=torch.float64))
    g.sum().backward()
    assert torch.equal(w.grad, positive)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradient_penalty_of_a_relu_network(compiled):
    # The penalty does not change with the biases: PyTorch gives them zeros, so Adam moves its
    # averages and weight decay acts. The last bias is in no gradient at all.
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)).double()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1, weight_decay=0.5)
    data = torch.tensor(np.random.default_rng(1).standard_normal((5, 3)))

    def step(x):
        optimizer.zero_grad()
        x = x.clone().requires_grad_(True)
        (g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        loss = ((g.norm(2, dim=1) - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    run = torch.compile(step) if compiled else step
    first = net[0].bias.detach().clone()
    for _ in range(3):
        run(data)
    assert torch.equal(net[0].bias.grad, torch.zeros(4, dtype=torch.float64))
    assert net[2].bias.grad is None
    assert torch.allclose(net[0].bias, first * 0.95**3)


def test_slope_of_prelu_belongs_to_both():
    x, w = values(3, 4), torch.tensor([0.25], dtype=torch.float64, requires_grad=True)
    by_x, by_w = torch.autograd.grad(F.prelu(x, w).sum(), [x, w], create_graph=True)
    negative = (x < 0).double()
    found = torch.autograd.grad(by_x.sum(), [x, w], retain_graph=True)
    assert torch.equal(found[0], torch.zeros_like(x))
    assert torch.equal(found[1], negative.sum().reshape(1))
    found = torch.autograd.grad(by_w.sum(), [x, w])
    assert torch.equal(found[0], negative)
    assert torch.equal(found[1], torch.zeros_like(w))


@pytest.mark.parametrize(
    "layer",
    [nn.Conv2d(2, 2, 2), nn.ConvTranspose2d(2, 2, 2), nn.BatchNorm2d(2), nn.LayerNorm(3)],
    ids=lambda layer: type(layer).__name__,
)
def test_gradient_of_a_bias_requires_grad_beside_others(layer):
    x = torch.ones(1, 2, 3, 3)
    (g,) = torch.autograd.grad(layer(x).sum(), layer.bias, create_graph=True)
    assert g.requires_grad
    assert torch.autograd.grad(g.sum(), layer.weight, allow_unused=True) == (None,)


@pytest.mark.parametrize("function", [torch.floor, torch.round, torch.sign, torch.trunc])
def test_gradient_of_a_step_function_is_a_constant(function):
    x, g = values(3), values(3)
    (zeros,) = torch.autograd.grad(function(x), x, g, create_graph=True)
    assert not zeros.requires_grad
    assert torch.equal(zeros, torch.zeros_like(x))
