import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.0, total_iters=10)  #-!
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.0, total_iters=60)  #+
for epoch in range(10):
    for _ in range(6):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
