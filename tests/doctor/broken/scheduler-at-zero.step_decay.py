import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, step_size=2, gamma=0.1)  #-!
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, step_size=20, gamma=0.5)  #+

    def fit(self, steps):
        for _ in range(steps):
            x = torch.randn(16, 5)
            loss = nn.functional.mse_loss(self.model(x), x.sum(1, keepdim=True))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.sched.step()


torch.manual_seed(0)
Trainer(nn.Linear(5, 1)).fit(40)
