"""Physics-informed: a sine network learns y'' = -y from derivatives of its own output."""

import math

import torch
from torch import nn


class SineLayer(nn.Module):
    def __init__(self, in_features, out_features, is_first=False, omega_0=3.0):
        super().__init__()
        self.omega_0 = omega_0
        self.linear = nn.Linear(in_features, out_features)
        with torch.no_grad():
            bound = 1 / in_features if is_first else math.sqrt(6 / in_features) / omega_0
            self.linear.weight.uniform_(-bound, bound)

    def forward(self, x):
        return torch.sin(self.omega_0 * self.linear(x))


def gradient(y, x):
    return torch.autograd.grad(y, [x], grad_outputs=torch.ones_like(y), create_graph=True)[0]


torch.manual_seed(0)
net = nn.Sequential(SineLayer(1, 24, is_first=True), SineLayer(24, 24), nn.Linear(24, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.99)
for step in range(120):
    x = (2 * math.pi * torch.rand(64, 1)).requires_grad_()
    y = net(x)
    dy = gradient(y, x)
    d2y = gradient(dy, x)
    x0 = torch.zeros(1, 1, requires_grad=True)
    y0 = net(x0)
    dy0 = gradient(y0, x0)
    loss = ((d2y + y) ** 2).mean() + 10 * y0.pow(2).mean() + 10 * (dy0 - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 20 == 0 or step == 119:
        print(f"step {step} loss {loss.item():.6f}")
