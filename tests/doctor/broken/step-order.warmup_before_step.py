import torch
from torch import nn


class Runner:
    def __init__(self):
        self.net = nn.Linear(6, 2)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.2)
        self.sched = torch.optim.lr_scheduler.MultiStepLR(self.opt, [30, 60], 0.3)

    def train_step(self, x, y):
        self.sched.step()  #-!
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.sched.step()  #+


torch.manual_seed(0)
r = Runner()
for _ in range(50):
    x = torch.randn(24, 6)
    r.train_step(x, (x[:, 0] > x[:, 1]).long())
