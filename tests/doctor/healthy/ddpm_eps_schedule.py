import torch
from torch import nn

torch.manual_seed(0)
T = 50
betas = torch.linspace(1e-4, 0.2, T)
abar = torch.cumprod(1 - betas, 0)
net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(60):
    theta = torch.rand(64) * 6.28
    x0 = torch.stack([theta.cos(), theta.sin()], 1)
    t = torch.randint(0, T, (64,))
    eps = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * eps
    loss = nn.functional.mse_loss(net(torch.cat([xt, t[:, None] / T], 1)), eps)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    x = torch.randn(16, 2)
    for k in reversed(range(T)):
        e = net(torch.cat([x, torch.full((16, 1), k / T)], 1))
        x = (x - betas[k] / (1 - abar[k]).sqrt() * e) / (1 - betas[k]).sqrt()
