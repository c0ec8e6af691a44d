import torch
from torch import nn
class Runner:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.01)
        self.loss_sum = 0.0
        self.log = []
    def step(self, x, y):
        self.opt.zero_grad()
        l = nn.functional.l1_loss(self.model(x), y)
        l.backward()
        self.opt.step()
        self.loss_sum = self.loss_sum + l  #-!
        self.loss_sum = self.loss_sum + float(l)  #+
        return l.item()
torch.manual_seed(0)
r = Runner(nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Linear(20, 1)))
for i in range(50):
    x = torch.randn(16, 3)
    r.step(x, x.sum(1, keepdim=True))
