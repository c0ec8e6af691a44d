import torch
from torch import nn

class AverageMeter:
    def __init__(self):
        self.sum = 0
        self.n = 0

    def update(self, value, k=1):
        self.sum = self.sum + value * k  #!
        self.n += k

    @property
    def avg(self):
        return self.sum / max(self.n, 1)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 40), nn.GELU(), nn.Linear(40, 3))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
meter = AverageMeter()
data = torch.randn(400, 12)
labels = data[:, :3].argmax(1)
for i in range(0, 400, 10):
    logits = model(data[i:i + 10])
    loss = nn.functional.cross_entropy(logits, labels[i:i + 10])
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter.update(loss, 10)  #-!
    meter.update(loss.item(), 10)  #+
print(float(meter.avg))
