import torch
from torch import nn


class Agent:
    def __init__(self):
        self.policy = nn.Linear(4, 2)
        self.opt = torch.optim.SGD(self.policy.parameters(), lr=0.1)  #!

    def warm_start(self, weight):
        self.policy.weight = nn.Parameter(weight.clone())  #-!
        self.policy.weight.data.copy_(weight)  #+

    def update(self, s, a):
        loss = nn.functional.cross_entropy(self.policy(s), a)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


torch.manual_seed(0)
agent = Agent()
agent.warm_start(torch.randn(2, 4) * 0.1)
for _ in range(30):
    s = torch.randn(20, 4)
    agent.update(s, (s[:, 0] > 0).long())
