import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
enc, mu, lv = nn.Linear(10, 16), nn.Linear(16, 2), nn.Linear(16, 2)
dec = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 10), nn.Sigmoid())
params = [p for m in (enc, mu, lv, dec) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)
for _ in range(20):
    x = torch.rand(32, 10)
    h = torch.relu(enc(x))
    m, v = mu(h), lv(h)
    z = m + torch.randn_like(m) * torch.exp(0.5 * v)
    rec = F.binary_cross_entropy(dec(z), x, reduction="sum")
    kl = -0.5 * torch.sum(1 + v - m.pow(2) - v.exp())
    loss = rec + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
