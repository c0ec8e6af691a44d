"""Derivatives through optimizer steps: by parameters, gradients, state and options."""

import pytest

import chainrule as torch
from chainrule import nn, optim


def trained(kind, options: dict, start, grad, steps: int = 3):
    """The parameter after some steps with one gradient, in the open."""
    p = start.clone()
    optimizer = kind([p], differentiable=True, **options)
    for _ in range(steps):
        p.grad = grad
        optimizer.step()
    return p


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (optim.SGD, ("lr", "weight_decay")),
        (optim.Adam, ("lr", "weight_decay")),
        (optim.AdamW, ("lr", "weight_decay")),
    ],
)
def test_derivatives_by_options_over_several_steps(kind, names) -> None:
    start = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64)
    grad = torch.tensor([0.5, 0.1, -0.7], dtype=torch.float64)
    values = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.05, 0.1)]

    def loss(*numbers):
        return trained(kind, dict(zip(names, numbers, strict=True)), start, grad).square().sum()

    assert torch.autograd.gradcheck(loss, values)


@pytest.mark.parametrize("kind", [optim.Adam, optim.AdamW])
def test_derivatives_by_betas_over_several_steps(kind) -> None:
    start = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64)
    grad = torch.tensor([0.5, 0.1, -0.7], dtype=torch.float64, requires_grad=True)
    betas = [torch.tensor(b, dtype=torch.float64, requires_grad=True) for b in (0.8, 0.9)]

    def loss(first, second, g):
        return trained(kind, {"lr": 0.05, "betas": (first, second)}, start, g).square().sum()

    assert torch.autograd.gradcheck(loss, [*betas, grad])


def test_derivatives_by_gradient_and_state_of_amsgrad() -> None:
    def step(p, grad, mean, square, largest):
        p = p.clone()
        p.grad = grad
        optimizer = optim.Adam([p], lr=0.9, amsgrad=True, differentiable=True)
        optimizer.state[p].update(
            step=torch.tensor(10.0), exp_avg=mean.clone(), exp_avg_sq=square.clone(),
            max_exp_avg_sq=largest.clone(),
        )  # fmt: skip
        optimizer.step()
        state = optimizer.state[p]
        return p, state["exp_avg"], state["exp_avg_sq"], state["max_exp_avg_sq"]

    torch.manual_seed(0)
    values = [torch.rand(4, dtype=torch.float64).requires_grad_() for _ in range(5)]
    assert torch.autograd.gradcheck(step, values)


def test_adagrad_refuses_parameters_without_a_shape() -> None:
    with pytest.raises(ValueError, match="uninitialized parameter"):
        optim.Adagrad([nn.UninitializedParameter()])
