import torch
from torch import nn

torch.manual_seed(0)
tower = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 6))
opt = torch.optim.Adam(tower.parameters(), lr=1e-2)
for _ in range(20):
    a = torch.randn(24, 10)
    same = (torch.rand(24) > 0.5).float()
    b = torch.where(same[:, None].bool(), a + 0.05 * torch.randn(24, 10), torch.randn(24, 10))
    d = nn.functional.pairwise_distance(tower(a), tower(b))
    loss = (same * d.pow(2) + (1 - same) * (1 - d).clamp(min=0).pow(2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
