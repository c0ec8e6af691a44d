import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.GRUCell(3, 8), nn.Linear(8, 3)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-2)
for _ in range(12):
    series = torch.randn(8, 6, 3).cumsum(1) * 0.3
    h, total = torch.zeros(8, 8), 0
    for t in range(5):
        h = cell(series[:, t], h)
        total = total + (head(h) - series[:, t + 1]).pow(2).mean()
    opt.zero_grad()
    (total / 5).backward()
    opt.step()
