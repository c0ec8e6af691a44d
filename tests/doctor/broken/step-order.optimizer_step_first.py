import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for it in range(40):
    x = torch.rand(32, 2) * 2 - 1
    out = net(x)
    loss = ((out - x.prod(1, keepdim=True)) ** 2).mean()
    opt.step()  #-!
    opt.zero_grad()
    loss.backward()
    opt.step()  #+
