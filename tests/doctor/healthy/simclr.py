import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.Adam(enc.parameters(), lr=1e-2)
for _ in range(15):
    x = torch.randn(16, 12)
    v1, v2 = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    z = F.normalize(enc(torch.cat([v1, v2])), dim=1)
    sim = z @ z.t() / 0.2
    sim = sim.masked_fill(torch.eye(32, dtype=torch.bool), float("-inf"))
    target = torch.cat([torch.arange(16, 32), torch.arange(16)])
    loss = F.cross_entropy(sim, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
