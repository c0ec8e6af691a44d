import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
blocks = nn.ModuleList([nn.Sequential(nn.Linear(12, 12), nn.Tanh(), nn.Dropout(0.1)) for _ in range(4)])
head = nn.Linear(12, 2)
opt = torch.optim.Adam([*blocks.parameters(), *head.parameters()], lr=3e-3)
for step in range(25):
    x = torch.randn(32, 12)
    y = (x.sum(1) > 0).long()
    h = x
    for b in blocks:
        h = checkpoint(b, h, use_reentrant=False)
    loss = nn.functional.cross_entropy(head(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
