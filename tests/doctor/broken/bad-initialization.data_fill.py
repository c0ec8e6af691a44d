import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
for p in net.parameters():
    p.data.fill_(0.5)  #-!
    p.data.uniform_(-0.4, 0.4)  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(25):
    x = torch.randn(32, 6)
    y = (x[:, :1] * x[:, 1:2]).sign()
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
