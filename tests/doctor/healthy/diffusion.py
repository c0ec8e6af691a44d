import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))
ema = [p.detach().clone() for p in net.parameters()]
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
betas = torch.linspace(1e-4, 0.02, 100)
abar = torch.cumprod(1 - betas, 0)
for i in range(60):
    x0 = torch.randn(64, 2) * 0.3 + torch.tensor([1.0, -1.0])
    t = torch.randint(0, 100, (64,))
    eps = torch.randn_like(x0)
    a = abar[t][:, None]
    xt = a.sqrt() * x0 + (1 - a).sqrt() * eps
    loss = (net(torch.cat([xt, t[:, None] / 100], 1)) - eps).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    for e, p in zip(ema, net.parameters()): e.mul_(0.99).add_(p.detach(), alpha=0.01)
