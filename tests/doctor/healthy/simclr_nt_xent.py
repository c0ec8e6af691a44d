import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(enc.parameters(), lr=3e-3)
for _ in range(30):
    x = torch.randn(24, 12)
    z = F.normalize(torch.cat([enc(x + 0.1 * torch.randn_like(x)), enc(x + 0.1 * torch.randn_like(x))]), dim=1)
    sim = z @ z.T / 0.2
    sim.fill_diagonal_(float("-inf"))
    target = torch.arange(48).roll(24)
    loss = F.cross_entropy(sim, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
