"""A normalising flow (RealNVP) on two moons, with buffers and torch.distributions."""

import math

import torch
import torch.nn as nn
from torch import distributions

torch.manual_seed(0)


def moons(n):
    t = math.pi * torch.rand(n)
    side = torch.randint(0, 2, (n,)).float()
    x = torch.stack(
        [torch.cos(t) * (1 - 2 * side) + side, torch.sin(t) * (1 - 2 * side) + 0.5 * side], 1
    )
    return x + 0.05 * torch.randn(n, 2)


class RealNVP(nn.Module):
    def __init__(self, layers, hidden=24):
        super().__init__()
        masks = torch.tensor([[0.0, 1.0], [1.0, 0.0]] * (layers // 2))
        self.register_buffer("mask", masks)
        self.register_buffer("loc", torch.zeros(2))
        self.register_buffer("scale", torch.eye(2))
        net = lambda last: nn.Sequential(
            nn.Linear(2, hidden), nn.LeakyReLU(), nn.Linear(hidden, 2), *last
        )
        self.s = nn.ModuleList([net([nn.Tanh()]) for _ in range(layers)])
        self.t = nn.ModuleList([net([]) for _ in range(layers)])

    def f(self, x):
        log_det, z = x.new_zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            z_ = self.mask[i] * z
            s = self.s[i](z_) * (1 - self.mask[i])
            t = self.t[i](z_) * (1 - self.mask[i])
            z = (1 - self.mask[i]) * (z - t) * torch.exp(-s) + z_
            log_det -= s.sum(dim=1)
        return z, log_det

    def log_prob(self, x):
        prior = distributions.MultivariateNormal(self.loc, self.scale)
        z, logp = self.f(x)
        return prior.log_prob(z) + logp


flow = RealNVP(4)
optimizer = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad], lr=5e-3)
for step in range(60):
    loss = -flow.log_prob(moons(100)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 12 == 0 or step == 59:
        print(f"iter {step}: loss = {loss.item():.5f}")
