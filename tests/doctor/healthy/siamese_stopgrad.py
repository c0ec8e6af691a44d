import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
f = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
h = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 16))
opt = torch.optim.SGD([*f.parameters(), *h.parameters()], 0.05, momentum=0.9)


def d(p, z):
    return -F.cosine_similarity(p, z.detach(), dim=-1).mean()


for _ in range(30):
    x = torch.randn(32, 10)
    x1, x2 = x + 0.2 * torch.randn_like(x), x + 0.2 * torch.randn_like(x)
    z1, z2 = f(x1), f(x2)
    loss = d(h(z1), z2) / 2 + d(h(z2), z1) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
