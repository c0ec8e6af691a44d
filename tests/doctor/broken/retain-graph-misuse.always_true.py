import torch
from torch import nn


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.Adagrad(net.parameters(), lr=lr)
        self.crit = nn.SmoothL1Loss()

    def step(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        loss = self.crit(self.net(x), y)
        loss.backward(retain_graph=True)  #-!
        loss.backward()  #+
        self.opt.step()
        return loss.item()


torch.manual_seed(0)
t = Trainer(nn.Sequential(nn.Linear(4, 20), nn.LeakyReLU(), nn.Linear(20, 1)), 0.05)
for k in range(40):
    x = torch.randn(24, 4)
    t.step(x, x.prod(1, keepdim=True))
