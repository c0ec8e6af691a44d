"""Whole trainings reach a stated loss."""

import math

import pytest

import chainrule as torch
from chainrule.nn import functional as F

XOR_IN = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
XOR_OUT = [[0.0], [1.0], [1.0], [0.0]]


def train(model, optimizer, loss_of, steps, scheduler=None):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
    return loss_of(model).item()


XOR_OPTIMIZERS = {
    "SGD": {"lr": 0.5, "momentum": 0.9},
    "Adam": {"lr": 0.05},
    "AdamW": {"lr": 0.05, "weight_decay": 1e-4},
    "RMSprop": {"lr": 0.02},
    "Rprop": {"lr": 0.02},
    "NAdam": {"lr": 0.05},
    "RAdam": {"lr": 0.1},
    "Lion": {"lr": 0.02},
    "Adagrad": {"lr": 0.3},
    "Adamax": {"lr": 0.1},
    "LAMB": {"lr": 0.05},
}


@pytest.mark.parametrize("name", XOR_OPTIMIZERS)
def test_xor_is_learned(name):
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x, y = torch.tensor(XOR_IN), torch.tensor(XOR_OUT)
    optimizer = getattr(torch.optim, name)(model.parameters(), **XOR_OPTIMIZERS[name])
    loss = train(model, optimizer, lambda m: F.binary_cross_entropy_with_logits(m(x), y), 250)
    assert loss < 0.05
    assert ((model(x) > 0) == (y > 0.5)).all()


def spirals(points=60):
    """Two arms, one turned by half a turn."""
    t = torch.linspace(0.3, 3.0, points)
    arm = torch.stack([t * torch.cos(t * 2), t * torch.sin(t * 2)], 1) / 3
    x = torch.cat([arm, -arm])
    y = torch.cat([torch.zeros(points), torch.ones(points)]).long()
    return x, y


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("AdamW", {"lr": 0.02}),
        ("SGD", {"lr": 0.3, "momentum": 0.9, "nesterov": True}),
        ("Adam", {"lr": 0.02, "amsgrad": True}),
    ],
)
def test_spirals_are_separated(name, options):
    torch.manual_seed(0)
    x, y = spirals()
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 24), torch.nn.Tanh(), torch.nn.Linear(24, 24), torch.nn.Tanh(),
        torch.nn.Linear(24, 2),
    )  # fmt: skip
    optimizer = getattr(torch.optim, name)(model.parameters(), **options)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 300)
    loss = train(model, optimizer, lambda m: F.cross_entropy(m(x), y), 300, scheduler)
    assert loss < 0.05
    assert (model(x).argmax(1) == y).float().mean().item() > 0.97


def test_muon_with_adamw_for_the_rest_separates_the_spirals():
    torch.manual_seed(0)
    x, y = spirals()
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 24), torch.nn.Tanh(), torch.nn.Linear(24, 24), torch.nn.Tanh(),
        torch.nn.Linear(24, 2),
    )  # fmt: skip
    hidden = [model[2].weight]
    rest = [p for p in model.parameters() if p is not hidden[0]]
    muon = torch.optim.Muon(hidden, lr=0.02, weight_decay=0.0)
    adamw = torch.optim.AdamW(rest, lr=0.02)
    for _ in range(250):
        loss = F.cross_entropy(model(x), y)
        model.zero_grad()
        loss.backward()
        muon.step()
        adamw.step()
    assert loss.item() < 0.05


def test_lbfgs_finds_the_end_of_rosenbrocks_valley():
    x = torch.tensor([-1.2, 1.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([x], line_search_fn="strong_wolfe", max_iter=100)

    def closure():
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss

    optimizer.step(closure)
    assert x.tolist() == pytest.approx([1.0, 1.0], abs=1e-3)
    assert closure().item() < 1e-7


def test_adafactor_and_adadelta_and_asgd_fit_a_line():
    for name, options, steps in (
        ("Adafactor", {"lr": 0.1}, 300),
        ("Adadelta", {"lr": 5.0}, 300),
        ("ASGD", {"lr": 0.1, "lambd": 0.0}, 300),
    ):
        torch.manual_seed(0)
        x = torch.linspace(-1, 1, 21).unsqueeze(1)
        model = torch.nn.Linear(1, 1)
        optimizer = getattr(torch.optim, name)(model.parameters(), **options)
        loss = train(model, optimizer, lambda m, x=x: F.mse_loss(m(x), 3 * x + 1), steps)
        assert loss < 1e-2, name


def test_an_averaged_model_is_nearer_to_the_optimum_than_a_noisy_one():
    torch.manual_seed(0)
    p = torch.nn.Linear(1, 1, bias=False)
    average = torch.optim.swa_utils.AveragedModel(p)
    optimizer = torch.optim.SGD(p.parameters(), lr=0.4)
    for step in range(200):
        optimizer.zero_grad()
        ((p.weight - 1.0 + math.sin(step * 12.9898) * 2) ** 2).sum().backward()
        optimizer.step()
        if step >= 50:
            average.update_parameters(p)
    assert abs(average.module.weight.item() - 1.0) < 0.1 < abs(p.weight.item() - 1.0)
