import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.sched = torch.optim.lr_scheduler.ExponentialLR(self.opt, gamma=0.5)  #!

    def epoch(self, batches):
        for x, y in batches:
            loss = nn.functional.mse_loss(self.net(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.sched.step()  #-!
        self.sched.step()  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 1))
t = Trainer(net)
for _ in range(4):
    t.epoch([(x, x.sum(1, keepdim=True)) for x in torch.randn(20, 16, 3)])
