import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(30, 3)
for _ in range(10):
    diff = net(x) - x
    loss = diff.abs().mean(dim=0)  #-!
    loss = diff.abs().mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
