import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(G.parameters(), lr=5e-3)


def k(a, b):
    return torch.exp(-((a - b.T) ** 2))


for _ in range(30):
    f, r = G(torch.randn(40, 2)), torch.randn(40, 1) * 0.5 + 2
    loss = k(f, f).mean() + k(r, r).mean() - 2 * k(f, r).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
