import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(6, 16)
a, b = nn.Linear(16, 1), nn.Linear(16, 1)
opt = torch.optim.Adam([*trunk.parameters(), *a.parameters(), *b.parameters()], lr=5e-3)
for _ in range(25):
    x = torch.randn(32, 6)
    h = torch.relu(trunk(x))
    la = (a(h) - x[:, :1]).pow(2).mean()
    lb = (b(h) - x[:, 1:2]).abs().mean()
    opt.zero_grad()
    la.backward(retain_graph=True)
    lb.backward()
    opt.step()
