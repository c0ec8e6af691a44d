import torch
from torch import nn


class TwoStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage1 = nn.Sequential(nn.Linear(6, 12), nn.ReLU())
        self.stage2 = nn.Sequential(nn.Linear(12, 12), nn.ReLU())  #!
        self.head = nn.Linear(12, 2)

    def forward(self, x):
        a = self.stage1(x)
        b = self.stage2(a)
        return self.head(a)  #-
        return self.head(b)  #+


torch.manual_seed(0)
m = TwoStage()
o = torch.optim.RMSprop(m.parameters(), lr=2e-3)
for _ in range(30):
    x = torch.randn(40, 6)
    o.zero_grad()
    nn.functional.cross_entropy(m(x), (x[:, 0] * x[:, 1] > 0).long()).backward()
    o.step()
