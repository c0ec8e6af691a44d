"""A stochastic differential equation is solved and fitted, also through the adjoint equation."""

import json

import torch
import torchsde
from torch import nn

torch.manual_seed(0)


class Equation(nn.Module):
    noise_type = "diagonal"
    sde_type = "ito"

    def __init__(self):
        super().__init__()
        self.drift = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 3))
        self.diffusion = nn.Linear(3, 3)

    def f(self, t, y):
        return self.drift(y)

    def g(self, t, y):
        return self.diffusion(y).sigmoid() * 0.3


times = torch.linspace(0, 1, 6)
start = torch.full((4, 3), 0.1)
printed = {}
for name, solve, method in (
    ("euler", torchsde.sdeint, "euler"),
    ("milstein", torchsde.sdeint, "milstein"),
    ("adjoint", torchsde.sdeint_adjoint, "euler"),
):
    torch.manual_seed(0)
    equation = Equation()
    optimizer = torch.optim.Adam(equation.parameters(), lr=1e-2)
    losses = []
    for step in range(3):
        noise = torchsde.BrownianInterval(0.0, 1.0, size=(4, 3), entropy=step)
        path = solve(equation, start, times, bm=noise, method=method, dt=0.1)
        loss = (path[-1] - 1.0).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    printed[name] = losses
    printed[f"{name} path"] = path[-1].flatten().tolist()
print(json.dumps(printed))
