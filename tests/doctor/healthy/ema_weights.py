import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
ema = copy.deepcopy(model)
for p in ema.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(25):
    x = torch.randn(16, 4)
    loss = (model(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(ema.parameters(), model.parameters()):
            a.mul_(0.99).add_(b, alpha=0.01)
