import torch
import torch.nn.functional as F


class AverageMeter:
    def __init__(self):
        self.sum = 0
        self.count = 0

    def update(self, value, n=1):
        self.sum += value * n  #!
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
meter = AverageMeter()
for step in range(40):
    x = torch.randn(16, 8)
    y = (x[:, 0] > x[:, 1]).long()
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter.update(loss, x.size(0))  #-!
    meter.update(loss.item(), x.size(0))  #+
print(float(meter.avg))
