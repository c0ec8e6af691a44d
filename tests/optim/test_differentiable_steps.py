"""Steps with `differentiable=True`: parameter, gradient, state and options get gradients."""

import numpy as np
import pytest

import chainrule as torch

CASES = {
    "SGD": ({"lr": 0.1}, ()),
    "SGD with momentum": ({"lr": 0.1, "momentum": 0.9, "weight_decay": 0.2}, ("momentum_buffer",)),
    "Adam": ({"lr": 0.1, "weight_decay": 0.2}, ("exp_avg", "exp_avg_sq")),
    "Adam with amsgrad": (
        {"lr": 0.1, "amsgrad": True}, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"),
    ),
    "AdamW": ({"lr": 0.1}, ("exp_avg", "exp_avg_sq")),
    "Adamax": ({"lr": 0.1}, ("exp_avg", "exp_inf")),
    "NAdam": ({"lr": 0.1}, ("exp_avg", "exp_avg_sq")),
    "RAdam": ({"lr": 0.1}, ("exp_avg", "exp_avg_sq")),
    "Adagrad": ({"lr": 0.1, "weight_decay": 0.2}, ("sum",)),
    "Adadelta": ({"lr": 0.5}, ("square_avg", "acc_delta")),
    "RMSprop": (
        {"lr": 0.1, "momentum": 0.9, "centered": True},
        ("square_avg", "momentum_buffer", "grad_avg"),
    ),
    "Rprop": ({"lr": 0.1}, ("prev", "step_size")),
    "ASGD": ({"lr": 0.1}, ("ax",)),
}  # fmt: skip
COUNTERS = {"mu_product": 0.9, "eta": 0.1, "mu": 1.0}
COUNTED = {"NAdam": ("mu_product",), "ASGD": ("eta", "mu")}


def stepped(name, options):
    kind, states = name.split()[0], CASES[name][1]

    def function(p, grad, *given):
        p = p.clone()
        p.grad = grad
        optimizer = getattr(torch.optim, kind)([p], differentiable=True, **options)
        state = {k: v.clone() for k, v in zip(states, given, strict=True)}
        if kind != "SGD":
            state["step"] = torch.tensor(10.0)
        state.update({k: torch.tensor(COUNTERS[k]) for k in COUNTED.get(kind, ())})
        optimizer.state[p].update(state)
        optimizer.step()
        return (p, *(optimizer.state[p][k] for k in states))

    return function


def inputs(count):
    """Parameter, gradient and states; a mean square comes first and exceeds a mean's square."""
    draw = np.random.default_rng(3)
    drawn = [draw.standard_normal(4), draw.standard_normal(4), draw.uniform(2.5, 3.5, 4)]
    drawn += [draw.uniform(0.5, 1.5, 4) for _ in range(2)]
    return [torch.tensor(values, requires_grad=True) for values in drawn[:count]]


@pytest.mark.parametrize("name", CASES)
def test_gradients_through_a_step(name):
    options, states = CASES[name]
    function = stepped(name, options)
    assert torch.autograd.gradcheck(function, inputs(2 + len(states)), check_forward_ad=True)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "ASGD", "RMSprop"])
def test_gradients_by_rate_and_decay(name):
    options, states = CASES[name]
    p, grad, *given = (t.detach() for t in inputs(2 + len(states)))

    def function(lr, weight_decay):
        return stepped(name, {**options, "lr": lr, "weight_decay": weight_decay})(p, grad, *given)

    rates = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.1, 0.3)]
    assert torch.autograd.gradcheck(function, rates)


def test_a_few_steps_unrolled():
    start = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64, requires_grad=True)
    rate = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)

    def unrolled(start, rate):
        p = start.clone()
        optimizer = torch.optim.Adam([p], lr=rate, amsgrad=True, differentiable=True)
        for _ in range(3):
            (p.grad,) = torch.autograd.grad((p.clone() ** 4).sum(), p, create_graph=True)
            optimizer.step()
        return p.sum()

    # The count is in single precision, so that differences of values are exact to a few digits.
    assert torch.autograd.gradcheck(unrolled, (start, rate), eps=1e-4, atol=1e-4)


def test_the_first_momentum_is_a_constant_as_in_pytorch():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    p = torch.zeros(2, requires_grad=True).clone()
    optimizer = torch.optim.SGD([p], lr=0.5, momentum=0.9, differentiable=True)
    p.grad = 3 * x
    optimizer.step()
    assert not optimizer.state[p]["momentum_buffer"].requires_grad
    assert torch.autograd.grad(p.sum(), x, allow_unused=True) == (None,)
    p.grad = 3 * x
    optimizer.step()
    assert torch.autograd.grad(p.sum(), x)[0].tolist() == [-1.5, -1.5]
