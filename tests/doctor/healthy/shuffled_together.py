import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 4)
y = (x.sum(1) > 0).long()
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    order = torch.randperm(96)
    xs, ys = x[order], y[order]
    for i in range(0, 96, 16):
        loss = nn.functional.cross_entropy(net(xs[i : i + 16]), ys[i : i + 16])
        opt.zero_grad()
        loss.backward()
        opt.step()
