import torch
from torch import nn
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 16)); dec = nn.Sequential(nn.Linear(17, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 2e-3)
for _ in range(60):
    x = torch.rand(8, 20, 1) * 4 - 2; a, p = torch.rand(8, 1, 1) + 0.5, torch.rand(8, 1, 1) * 3
    y = a * torch.sin(x + p)
    r = enc(torch.cat([x[:, :8], y[:, :8]], -1)).mean(1, keepdim=True).expand(-1, 20, -1)
    mu, s = dec(torch.cat([r, x], -1)).chunk(2, -1); s = 0.1 + nn.functional.softplus(s)
    loss = -torch.distributions.Normal(mu, s).log_prob(y).mean()
    opt.zero_grad(); loss.backward(); opt.step()
