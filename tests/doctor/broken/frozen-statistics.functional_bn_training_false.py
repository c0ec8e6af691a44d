import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.05)

    def freeze_norms(self):
        self.net.apply(lambda m: m.eval() if isinstance(m, nn.BatchNorm1d) else None)  #-!
        self.net.apply(lambda m: None)  #+

    def step(self, x, y):
        self.opt.zero_grad()
        nn.functional.cross_entropy(self.net(x), y).backward()
        self.opt.step()


torch.manual_seed(0)
t = Trainer(nn.Sequential(nn.Linear(7, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 2)))
t.net.train()
t.freeze_norms()
for _ in range(25):
    x = torch.randn(30, 7) + 2
    t.step(x, (x[:, 0] > 2).long())
