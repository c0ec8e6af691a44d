import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(5, 3)
        self.experts = nn.ModuleList(nn.Linear(5, 1) for _ in range(3))

    def forward(self, x):
        g = torch.softmax(self.gate(x), 0)  #-!
        g = torch.softmax(self.gate(x), 1)  #+
        outs = torch.cat([e(x) for e in self.experts], 1)
        return (g * outs).sum(1)


torch.manual_seed(0)
m = Mixture()
opt = torch.optim.Adam(m.parameters(), 1e-2)
for _ in range(30):
    x = torch.randn(26, 5)
    loss = (m(x) - x[:, 0].abs()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
