import torch
from torch import nn


class Tracker:
    def __init__(self):
        self.by_epoch = {}

    def __call__(self, epoch, step, **values):
        self.by_epoch.setdefault(epoch, {})[step] = values  #-!
        self.by_epoch.setdefault(epoch, {})[step] = {k: v.item() for k, v in values.items()}  #+


torch.manual_seed(0)
track = Tracker()
net = nn.Sequential(nn.Linear(5, 16), nn.Hardswish(), nn.Linear(16, 1))
opt = torch.optim.RAdam(net.parameters(), lr=5e-3)
for epoch in range(4):
    for step in range(12):
        x = torch.randn(20, 5)
        out = net(x)
        mse = (out - x[:, :1]).pow(2).mean()
        l1 = sum(p.abs().sum() for p in net.parameters())
        loss = mse + 1e-5 * l1
        opt.zero_grad()
        loss.backward()
        opt.step()
        track(epoch, step, mse=mse, l1=l1)
