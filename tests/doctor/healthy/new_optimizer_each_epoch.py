import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
x = torch.randn(300, 4)
y = x.abs().sum(1, keepdim=True)
for epoch in range(6):
    opt = torch.optim.SGD(net.parameters(), lr=0.02 / (epoch + 1))
    for xb, yb in zip(x.split(30), y.split(30)):
        opt.zero_grad()
        nn.functional.mse_loss(net(xb), yb).backward()
        opt.step()
