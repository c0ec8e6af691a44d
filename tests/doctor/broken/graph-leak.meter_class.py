import torch
import torch.nn as nn


class AverageMeter:
    def __init__(self):
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.sum = self.sum + val * n  #-!
        self.sum = self.sum + float(val) * n  #+
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(24, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
meter = AverageMeter()
for i in range(25):
    x, y = torch.randn(10, 2, 8), torch.randint(0, 2, (10,))
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter.update(loss, x.size(0))  #!
print("avg", float(meter.avg))
