import torch
from torch import nn


class Learner:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.optim = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def compute(self, x, y):
        loss = nn.functional.cross_entropy(self.model(x), y)
        self.optim.zero_grad()  #+
        loss.backward()
        return loss

    def apply(self):
        self.optim.zero_grad()  #-!
        self.optim.step()


torch.manual_seed(0)
learner = Learner()
for _ in range(15):
    x = torch.randn(16, 4)
    learner.compute(x, (x[:, 0] > 0).long())
    learner.apply()
