import copy

import torch
from torch import nn

torch.manual_seed(0)
meta = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))
meta_opt = torch.optim.Adam(meta.parameters(), lr=1e-2)
for it in range(15):
    meta_opt.zero_grad()
    for task in range(3):
        a, b = torch.rand(1) * 2 + 0.5, torch.rand(1)
        learner = copy.deepcopy(meta)
        inner = torch.optim.SGD(learner.parameters(), lr=0.02)
        x = torch.rand(10, 1) * 4 - 2
        y = a * torch.sin(x + b)
        for _ in range(2):
            inner.zero_grad()
            nn.functional.mse_loss(learner(x), y).backward()
            inner.step()
        learner.zero_grad()
        nn.functional.mse_loss(learner(x), y).backward()
        for p, q in zip(meta.parameters(), learner.parameters()):
            g = q.grad / 3
            p.grad = g if p.grad is None else p.grad + g
    meta_opt.step()
