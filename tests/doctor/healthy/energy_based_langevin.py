import torch
from torch import nn

torch.manual_seed(0)
energy = nn.Sequential(nn.Linear(2, 24), nn.SiLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(energy.parameters(), lr=5e-3)
for _ in range(15):
    real = torch.randn(32, 2) * 0.5 + 1
    x = torch.randn(32, 2, requires_grad=True)
    for _ in range(5):
        (g,) = torch.autograd.grad(energy(x).sum(), x)
        x = (x - 0.1 * g + 0.05 * torch.randn_like(x)).detach().requires_grad_(True)
    loss = energy(real).mean() - energy(x.detach()).mean()
    loss = loss + 0.1 * (energy(real).pow(2).mean() + energy(x.detach()).pow(2).mean())
    opt.zero_grad()
    loss.backward()
    opt.step()
