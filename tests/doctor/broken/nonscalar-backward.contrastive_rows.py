import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 8))
opt = torch.optim.Adam(enc.parameters(), 1e-3)


def info_nce(a, b, t=0.2):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    sim = a @ b.T / t
    loss = torch.logsumexp(sim, 1) - sim.diagonal()  #!
    return loss  #-!
    return loss.mean()  #+


for _ in range(5):
    x = torch.randn(32, 10)
    loss = info_nce(enc(x + 0.1 * torch.randn_like(x)), enc(x))
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
