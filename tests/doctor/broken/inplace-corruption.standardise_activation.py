import torch
from torch import nn


def whiten(h):
    h -= h.mean(0)  #-!
    h = h - h.mean(0)  #+
    return h / (h.std(0) + 1e-5)


torch.manual_seed(0)
a, b = nn.Linear(5, 10), nn.Linear(10, 1)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=1e-2)
for _ in range(15):
    x = torch.randn(40, 5)
    loss = (b(whiten(torch.sigmoid(a(x)))) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
