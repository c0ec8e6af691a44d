import math

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 32), nn.GELU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)


def schedule(step):
    return (step + 1) / 10 if step < 10 else 0.5 * (1 + math.cos(math.pi * (step - 10) / 40))


sched = torch.optim.lr_scheduler.LambdaLR(opt, schedule)
for _ in range(50):
    x = torch.randn(64, 5)
    loss = (net(x) - x.sum(1, keepdim=True).sin()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
