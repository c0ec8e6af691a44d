import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(enc.parameters(), lr=3e-3)
for _ in range(25):
    x = torch.randn(48, 10)
    a, b = enc(x + 0.2 * torch.randn_like(x)), enc(x + 0.2 * torch.randn_like(x))
    inv = F.mse_loss(a, b)
    var = sum(torch.relu(1 - torch.sqrt(z.var(0) + 1e-4)).mean() for z in (a, b))
    cov = 0.0
    for z in (a, b):
        c = z - z.mean(0)
        c = c.T @ c / 47
        cov = cov + (c - torch.diag(c.diagonal())).pow(2).sum() / 8
    loss = 25 * inv + 25 * var + cov
    opt.zero_grad()
    loss.backward()
    opt.step()
