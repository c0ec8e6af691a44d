import torch
from torch import nn
torch.manual_seed(0)
v = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))
opt = torch.optim.Adam(v.parameters(), lr=2e-3)
ema = [p.detach().clone() for p in v.parameters()]
for it in range(80):
    theta = torch.rand(64) * 6.28
    x1 = torch.stack([theta.cos(), theta.sin()], 1) * 2
    x0 = torch.randn(64, 2)
    t = torch.rand(64, 1)
    xt = (1 - t) * x0 + t * x1
    loss = (v(torch.cat([xt, t], 1)) - (x1 - x0)).pow(2).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    for e, p in zip(ema, v.parameters()):
        e.lerp_(p.detach(), 0.01)
with torch.no_grad():
    x = torch.randn(100, 2)
    for k in range(20):
        x = x + v(torch.cat([x, torch.full((100, 1), k / 20)], 1)) / 20
