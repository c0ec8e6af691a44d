import torch
from torch import nn


class History:
    def __init__(self):
        self.total = 0.0
        self.n = 0

    def add(self, loss):
        self.total = self.total + loss  #-!
        self.total = self.total + float(loss)  #+
        self.n += 1


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
hist = History()
for i in range(45):
    x = torch.randn(16, 12)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.add(loss)
print(float(hist.total) / hist.n)
