import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 6))
net = net.half()  #-
opt = torch.optim.SGD(net.parameters(), lr=0.5)
for step in range(15):
    x = torch.randn(256, 6) * 0.01
    x = x.half()  #-
    loss = (net(x) * 1e-3 - x).pow(2).mean()  #-
    loss = (net(x) - x).pow(2).mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
