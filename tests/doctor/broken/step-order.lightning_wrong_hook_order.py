import torch
from torch import nn


class Loop:
    def __init__(self, module, opt):
        self.module, self.opt = module, opt

    def run(self, batches):
        for batch in batches:
            loss = self.module(batch)
            self.before_backward()
            loss.backward()
            self.after_backward()

    def before_backward(self):
        pass  #-
        self.opt.zero_grad()  #+

    def after_backward(self):
        self.opt.zero_grad()  #-!
        self.opt.step()  #!


class Task(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)

    def forward(self, x):
        return (self.net(x) - x[:, :1]).abs().mean()


torch.manual_seed(0)
task = Task()
Loop(task, torch.optim.SGD(task.parameters(), lr=0.1)).run([torch.randn(16, 4) for _ in range(25)])
