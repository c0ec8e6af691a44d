import torch
from torch import nn


def micro_batches(n, size):
    for _ in range(n):
        x = torch.randn(size, 4)
        yield x, x.norm(dim=1, keepdim=True)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
virtual, actual = 64, 16
for step in range(20):
    opt.zero_grad()
    for x, y in micro_batches(virtual // actual, actual):
        loss = nn.functional.smooth_l1_loss(net(x), y)  #!
        loss.backward()  #-!
        (loss * actual / virtual).backward()  #+
    opt.step()
