import torch
from torch import nn


def pairwise(z):
    diff = z.unsqueeze(1) - z.unsqueeze(0)
    return torch.sqrt((diff ** 2).sum(-1))  #-!
    return torch.sqrt((diff ** 2).sum(-1) + 1e-8)  #+


torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 2))
opt = torch.optim.Adam(enc.parameters(), lr=1e-2)
x = torch.randn(24, 5)
goal = torch.cdist(x, x)
for _ in range(20):
    stress = (pairwise(enc(x)) - goal).pow(2).mean()
    opt.zero_grad()
    stress.backward()
    opt.step()
