"""`torch.optim.adam.adam(params, grads, ...)`: a step of lists is a step of the class."""

import importlib

import pytest

import chainrule as torch

FORMS = {
    "adadelta": ("square_avg acc_delta step", {"rho": 0.9, "eps": 1e-6}),
    "adagrad": ("sum step", {"lr_decay": 0.01, "eps": 1e-8}),
    "adam": ("exp_avg exp_avg_sq max_exp_avg_sq step", {"eps": 1e-8, "amsgrad": True}),
    "adamw": ("exp_avg exp_avg_sq max_exp_avg_sq step", {"eps": 1e-8, "amsgrad": False}),
    "adamax": ("exp_avg exp_inf step", {"eps": 1e-8}),
    "asgd": ("ax mu eta step", {"lambd": 1e-4, "t0": 1.0, "alpha": 0.75}),
    "nadam": ("exp_avg exp_avg_sq mu_product step", {"eps": 1e-8, "momentum_decay": 0.004}),
    "radam": ("exp_avg exp_avg_sq step", {"eps": 1e-8}),
    "rmsprop": (
        "square_avg grad_avg momentum_buffer step",
        {"alpha": 0.9, "eps": 1e-8, "momentum": 0.5, "centered": True},
    ),
    "sgd": ("momentum_buffer", {"momentum": 0.9, "dampening": 0.1, "nesterov": False}),
}
CLASSES = {c.lower(): getattr(torch.optim, c) for c in torch.optim.__all__ if c[0].isupper()}
NO_MAXIMIZE = {"adamax", "asgd", "nadam", "radam", "rmsprop"}  # there it has a default
BETAS = {"adam", "adamw", "adamax", "nadam", "radam"}


@pytest.mark.parametrize("name", FORMS)
def test_a_step_of_lists_is_a_step_of_the_class(name):
    states, options = FORMS[name]
    torch.manual_seed(0)
    start = [torch.randn(3), torch.randn(2, 2)]
    grads = [[torch.randn_like(p) for p in start] for _ in range(3)]
    given = {} if name in BETAS else dict(options)
    if name in BETAS:
        given = {k: v for k, v in options.items()} | {"betas": (0.8, 0.95)}
    params = [p.clone().requires_grad_() for p in start]
    optimizer = CLASSES[name](params, lr=0.1, weight_decay=0.1, **given)
    lists = {n: [_beginning(name, n, p) for p in start] for n in states.split()}
    mine = [p.clone() for p in start]
    if name in BETAS:
        options = options | {"beta1": 0.8, "beta2": 0.95}
    if name not in NO_MAXIMIZE:
        options = options | {"maximize": False}
    step = getattr(importlib.import_module(f"chainrule.optim.{name}"), name)
    for now in grads:
        for p, g in zip(params, now, strict=True):
            p.grad = g.clone()
        optimizer.step()
        step(mine, now, *lists.values(), lr=0.1, weight_decay=0.1, **options)
    for p, q in zip(params, mine, strict=True):
        assert torch.equal(p.detach(), q)
        assert q.grad is None
        for n, listed in lists.items():
            if n in optimizer.state[p]:
                assert torch.equal(
                    listed[[id(m) for m in mine].index(id(q))], optimizer.state[p][n]
                )


def _beginning(name, state, p):
    if state == "momentum_buffer" and name == "sgd":
        return None
    if state in ("step", "mu", "mu_product", "eta"):
        return torch.tensor({"step": 0.0, "eta": 0.1}.get(state, 1.0))
    return torch.zeros_like(p)


def test_lists_of_another_length_are_refused():
    p = [torch.ones(2), torch.ones(2)]
    with pytest.raises(ValueError, match="2 parameters, and 1 tensors of state 'momentum_buffer'"):
        torch.optim.sgd.sgd(
            p, p, [None], weight_decay=0, momentum=0.9, lr=0.1, dampening=0, nesterov=False,
            maximize=False,
        )  # fmt: skip
