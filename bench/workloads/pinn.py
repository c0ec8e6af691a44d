"""A network that learns a differential equation: its loss holds its second derivatives."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..case import Case, Goal, Repeated, Style, Workload, eager_goal, fastest, sample
from . import models
from .train import RATE, STEPS_COMPARED

SIZES, POINTS = (2, 64, 64, 64, 1), 256


def perceptron(torch: Any) -> Any:
    nn = torch.nn
    layers: list[Any] = []
    for inputs, outputs in pairwise(SIZES):
        layers += [nn.Linear(inputs, outputs), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def heat_case(torch: Any, style: Style) -> Case:
    """u_t = u_xx on random points; a training step with AdamW."""
    points = torch.tensor(sample(1, POINTS, 2))
    grad = torch.autograd.grad
    ways, losses = {}, {}
    for settings in style.optimizers:
        model = perceptron(torch)
        models.set_weights(torch, model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, **settings)

        def step(p: Any, model: Any = model, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            p = p.detach().requires_grad_()
            first = grad(model(p).sum(), p, create_graph=True)[0]
            second = grad(first[:, 0].sum(), p, create_graph=True)[0]
            loss = (first[:, 1] - second[:, 0]).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        run = style.wrap(step) if style.whole else step
        way = lambda run=run: run(points)  # noqa: E731
        name = "+".join(settings) or "default"
        ways[name], losses[name] = way, [way().item() for _ in range(STEPS_COMPARED)]
    best = fastest(ways)
    return Repeated(ways[best], lambda: losses[best])


def workloads() -> Iterator[Workload]:
    yield Workload(
        f"pinn/{'-'.join(map(str, SIZES))}/b{POINTS}",
        "pinn",
        heat_case,
        "pinn",
        goals=(Goal(1.0), eager_goal(1.0)),
        threaded=True,
        tolerance=1e-3,
    )
