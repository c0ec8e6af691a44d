import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))
predictor = nn.Linear(8, 8)
target = copy.deepcopy(online).requires_grad_(False)
opt = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=3e-3)
for _ in range(20):
    x = torch.randn(32, 8)
    p = F.normalize(predictor(online(x + 0.1 * torch.randn_like(x))), dim=-1)
    with torch.no_grad():
        z = F.normalize(target(x + 0.1 * torch.randn_like(x)), dim=-1)
    loss = 2 - 2 * (p * z).sum(-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for a, b in zip(target.parameters(), online.parameters()):
        a.data.lerp_(b.data, 0.01)
