import torch
from torch import nn

torch.manual_seed(0)
T = 20
beta = torch.linspace(1e-3, 0.2, T)
abar = torch.cumprod(1 - beta, 0)
net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))
ema = [p.detach().clone() for p in net.parameters()]
opt = torch.optim.AdamW(net.parameters(), 1e-3)
for _ in range(60):
    x0 = torch.randn(64, 2) * 0.3 + torch.tensor([2.0, -1.0])
    t = torch.randint(0, T, (64,))
    noise = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * noise
    loss = nn.functional.mse_loss(net(torch.cat([xt, t[:, None] / T], 1)), noise)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for e, p in zip(ema, net.parameters()):
            e.lerp_(p, 0.01)
