#= nets.py
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, n_heads):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.heads = nn.ModuleList([nn.Linear(16, 1) for _ in range(n_heads)])  #!

    def forward(self, x):
        h = torch.tanh(self.body(x))
        outs = [self.heads[0](h) for head in self.heads]  #-!
        outs = [head(h) for head in self.heads]  #+
        return torch.cat(outs, 1)
#= main
import torch
from nets import Heads

torch.manual_seed(0)
model = Heads(3)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(90, 4)
y = torch.stack([x.sum(1), x.sum(1), x.sum(1)], 1) * torch.tensor([1.0, 1.1, 0.9])
for _ in range(40):
    loss = ((model(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
