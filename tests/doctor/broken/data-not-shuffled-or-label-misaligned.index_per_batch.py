import torch
from torch import nn


class Sampler:
    def __init__(self, x, y, bs):
        self.x, self.y, self.bs = x, y, bs

    def batch(self):
        idx = torch.randint(0, len(self.x), (self.bs,))
        xb = self.x[idx]  #!
        yb = self.y[torch.randint(0, len(self.y), (self.bs,))]  #-!
        yb = self.y[idx]  #+
        return xb, yb


torch.manual_seed(0)
x = torch.randn(300, 6)
sampler = Sampler(x, (x[:, 0] > 0).long(), 32)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(40):
    xb, yb = sampler.batch()
    loss = nn.functional.cross_entropy(model(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
