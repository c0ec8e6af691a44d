import torch
from torch import nn

torch.manual_seed(0)
a, b = nn.Linear(6, 10), nn.Linear(10, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
for i in range(10):
    x = torch.randn(20, 6)
    h = torch.sigmoid(a(x))
    h.sub_(0.5)  #-!
    h = h - 0.5  #+
    loss = b(h).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
