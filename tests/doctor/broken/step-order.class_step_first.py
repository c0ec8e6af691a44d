import torch
import torch.nn as nn


class Learner:
    def __init__(self, model, lr=0.01):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def one_batch(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.l1_loss(self.model(x), y)
        self.opt.step()  #-!
        loss.backward()
        self.opt.step()  #+
        return loss.item()


torch.manual_seed(0)
learner = Learner(nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 1)))
for _ in range(40):
    x = torch.rand(25, 3)
    learner.one_batch(x, x.sum(1, keepdim=True))
