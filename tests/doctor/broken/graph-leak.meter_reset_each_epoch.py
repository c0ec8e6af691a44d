import torch
from torch import nn


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum, self.n = 0.0, 0

    def update(self, val, n=1):
        self.sum = self.sum + val * n  #!
        self.n += n

    @property
    def avg(self):
        return self.sum / max(1, self.n)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
meter = AverageMeter()
for epoch in range(4):
    meter.reset()
    for _ in range(9):
        x = torch.randn(16, 4)
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
        meter.update(loss, len(x))  #-!
        meter.update(loss.item(), len(x))  #+
    print(float(meter.avg))
