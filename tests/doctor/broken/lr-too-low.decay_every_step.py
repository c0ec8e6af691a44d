import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-7)  #-!
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #+
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.99)
x = torch.rand(120, 3)
y = torch.sin(4 * x).sum(1, keepdim=True)
for i in range(60):
    loss = (net(x) - y).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
