#= meters.py
class AverageMeter:
    def __init__(self, name):
        self.name = name
        self.values = []

    def update(self, value):
        self.values.append(value)  #-!
        self.values.append(float(value))  #+

    @property
    def avg(self):
        return sum(self.values) / len(self.values)
#= main
import torch
from torch import nn
from meters import AverageMeter

torch.manual_seed(2)
x = torch.randn(300, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
meter = AverageMeter("loss")
for i in range(0, 300, 10):
    loss = nn.functional.mse_loss(model(x[i : i + 10]), y[i : i + 10])
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter.update(loss)
print(meter.avg)
