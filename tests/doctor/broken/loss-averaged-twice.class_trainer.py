import torch
from torch import nn


class T:
    def __init__(self):
        self.batch_size = 20
        self.net = nn.Sequential(nn.Linear(5, 20), nn.GELU(), nn.Linear(20, 1))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.bce = nn.BCEWithLogitsLoss()

    def loss(self, x, y):
        value = self.bce(self.net(x), y)
        return value / self.batch_size  #-!
        return value  #+

    def go(self, x, y):
        for i in range(0, len(x), self.batch_size):
            self.opt.zero_grad()
            self.loss(x[i : i + 20], y[i : i + 20]).backward()
            self.opt.step()


torch.manual_seed(0)
x = torch.randn(200, 5)
t = T()
for _ in range(5):
    t.go(x, (x[:, :1] * x[:, 1:2] > 0).float())
