import torch
from torch import nn

torch.manual_seed(0)
shared, h1, h2 = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
opt = torch.optim.SGD([*shared.parameters(), *h1.parameters(), *h2.parameters()], lr=0.05)
for _ in range(10):
    x = torch.randn(20, 4)
    z = torch.sigmoid(shared(x))
    la = (h1(z) - x[:, :1]).pow(2).mean()
    lb = (h2(z) - x[:, 1:2]).pow(2).mean()
    opt.zero_grad()
    la.backward()  #-!
    lb.backward()  #-!
    (la + lb).backward()  #+
    opt.step()
