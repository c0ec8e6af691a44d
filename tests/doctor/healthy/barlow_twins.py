import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for _ in range(60):
    x = torch.randn(64, 12)
    a, b = net(x + 0.05 * torch.randn_like(x)), net(x + 0.05 * torch.randn_like(x))
    a, b = (a - a.mean(0)) / a.std(0), (b - b.mean(0)) / b.std(0)
    c = a.T @ b / 64
    on = (torch.diagonal(c) - 1).pow(2).sum()
    off = c.flatten()[:-1].view(7, 9)[:, 1:].pow(2).sum()
    loss = on + 0.01 * off
    opt.zero_grad(); loss.backward(); opt.step()
