#= agg.py
import torch


def combine(parts):
    """Weighted vote of the branches."""
    return torch.tensor([[float(v) for v in p] for p in parts]).T  #-!
    return torch.stack(parts, 1)  #+
#= main
import torch
from torch import nn
from agg import combine

torch.manual_seed(0)
branches = nn.ModuleList(nn.Linear(5, 1) for _ in range(3))
final = nn.Linear(3, 1)
opt = torch.optim.SGD([*branches.parameters(), *final.parameters()], 0.05)
for i in range(25):
    x = torch.randn(12, 5)
    votes = combine([b(x).squeeze(1) for b in branches])
    loss = (final(votes) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
