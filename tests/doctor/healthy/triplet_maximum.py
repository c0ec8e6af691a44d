import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
emb = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(emb.parameters(), 1e-2)
for _ in range(80):
    a = torch.randn(32, 8)
    p, n = a + 0.05 * torch.randn(32, 8), torch.randn(32, 8)
    za, zp, zn = (F.normalize(emb(t), dim=1) for t in (a, p, n))
    d = (za - zp).pow(2).sum(1) - (za - zn).pow(2).sum(1) + 1.0
    loss = torch.maximum(d, torch.zeros_like(d)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
