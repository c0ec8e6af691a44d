import torch
from torch import nn
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8)); opt = torch.optim.Adam(enc.parameters(), 1e-3)
means = torch.randn(20, 16) * 2
for ep in range(60):
    cls = torch.randperm(20)[:5]
    s = means[cls].repeat_interleave(3, 0) + torch.randn(15, 16)
    q = means[cls].repeat_interleave(4, 0) + torch.randn(20, 16)
    proto = enc(s).view(5, 3, -1).mean(1)
    loss = nn.functional.cross_entropy(-torch.cdist(enc(q), proto) ** 2, torch.arange(5).repeat_interleave(4))
    opt.zero_grad(); loss.backward(); opt.step()
