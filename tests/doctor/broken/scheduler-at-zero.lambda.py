import torch
from torch import nn


def factor(step):
    return max(0.0, 1 - step / 8)  #-
    return max(0.0, 1 - step / 50)  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.LambdaLR(opt, factor)  #!
for step in range(40):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
