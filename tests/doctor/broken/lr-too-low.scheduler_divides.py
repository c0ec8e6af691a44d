import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 20), nn.Tanh(), nn.Linear(20, 2))
opt = torch.optim.SGD(net.parameters(), lr=1e-7, momentum=0.9)  #-!
opt = torch.optim.SGD(net.parameters(), lr=1e-1, momentum=0.9)  #+
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 40)
x = torch.randn(80, 5)
y = (x.sum(1) > 0).long()
for epoch in range(40):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
    sched.step()
