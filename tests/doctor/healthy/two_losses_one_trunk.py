import torch
import torch.nn as nn

torch.manual_seed(0)
trunk, a, b = nn.Linear(5, 8), nn.Linear(8, 1), nn.Linear(8, 1)
opt = torch.optim.SGD([*trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.05)
for _ in range(20):
    x = torch.randn(16, 5)
    h = torch.tanh(trunk(x))
    opt.zero_grad()
    first = (a(h) - x[:, :1]).pow(2).mean()
    first.backward(retain_graph=True)
    second = (b(h) - x[:, 1:2]).abs().mean()
    second.backward()
    opt.step()
