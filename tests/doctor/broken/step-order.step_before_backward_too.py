import torch
from torch import nn


class Loop:
    def __init__(self, model, opt):
        self.model, self.opt = model, opt

    def run_batch(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        self.opt.zero_grad()
        self.opt.step()  #-!
        loss.backward()
        self.opt.step()  #+
        return loss.detach()


torch.manual_seed(0)
m = nn.Linear(3, 1)
loop = Loop(m, torch.optim.SGD(m.parameters(), lr=0.05))
for _ in range(25):
    x = torch.randn(16, 3)
    loop.run_batch(x, x.sum(1, keepdim=True))
