import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(300, 8)
y = (x[:, 0] * 2 > x[:, 1]).long()
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(10):
    x = x[torch.randperm(len(x))]  #-!
    idx = torch.randperm(len(x))  #+
    x, y = x[idx], y[idx]  #+
    for xb, yb in zip(x.split(50), y.split(50)):
        loss = nn.functional.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
