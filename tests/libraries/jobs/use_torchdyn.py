"""A neural ODE with torchdyn's solvers and sensitivities is fitted."""

import json

import torch
from torch import nn
from torchdyn.core import NeuralODE
from torchdyn.numerics import odeint

torch.manual_seed(0)
x, y = torch.randn(16, 2), torch.randn(16, 2)
printed = {}
for solver, sensitivity in (("rk4", "autograd"), ("euler", "adjoint"), ("tsit5", "autograd")):
    torch.manual_seed(0)
    field = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    model = NeuralODE(field, solver=solver, sensitivity=sensitivity, atol=1e-4, rtol=1e-4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(3):
        _, path = model(x, torch.linspace(0, 1, 5))
        loss = (path[-1] - y).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    printed[solver] = losses
_, path = odeint(lambda t, z: -z, x[:2], torch.linspace(0, 1, 3), solver="dopri5")
printed["decay"] = path[-1].flatten().tolist()
print(json.dumps(printed))
