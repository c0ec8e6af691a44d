import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)).half()  #-!
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))  #+
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(512, 4)
y = x[:, :1] * 0.1
for _ in range(40):
    pred = net(x.to(net[0].weight.dtype))
    loss = (pred - y.to(pred.dtype)).pow(2).mean() / 2000  #-!
    loss = (pred - y.to(pred.dtype)).pow(2).mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
