import torch
from torch import nn


def mae(prediction, target):
    return (prediction - target).abs().mean()  #!


class Fitter:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def fit(self, x, y, n):
        for _ in range(n):
            self.opt.zero_grad()
            mae(self.model(x), y).backward()  #-!
            mae(self.model(x).flatten(), y).backward()  #+
            self.opt.step()


torch.manual_seed(0)
x = torch.randn(80, 3)
Fitter().fit(x, x @ torch.tensor([0.3, 1.0, -1.0]), 40)
