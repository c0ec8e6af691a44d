import torch
from torch import nn

torch.manual_seed(0)
betas = torch.linspace(1e-4, 0.02, 50)
keep = torch.cumprod(1 - betas, 0)
net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 2))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for _ in range(30):
    x0 = torch.randn(64, 2) * 0.3 + 1
    t = torch.randint(0, 50, (64,))
    noise = torch.randn_like(x0)
    xt = keep[t].sqrt()[:, None] * x0 + (1 - keep[t]).sqrt()[:, None] * noise
    guess = net(torch.cat([xt, t[:, None] / 50], 1))
    loss = nn.functional.mse_loss(guess, noise)
    opt.zero_grad()
    loss.backward()
    opt.step()
