import torch
from torch import nn

torch.manual_seed(0)
d, S = 8, 3
q, k, v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
slots0 = nn.Parameter(torch.randn(S, d))
dec = nn.Linear(d, d)
opt = torch.optim.Adam([slots0, *q.parameters(), *k.parameters(), *v.parameters(), *dec.parameters()], lr=5e-3)
for _ in range(25):
    x = torch.randn(16, 10, d)
    slots = slots0.expand(16, -1, -1)
    for _ in range(2):
        att = torch.softmax(q(slots) @ k(x).transpose(1, 2) / d**0.5, dim=1)
        w = att / (att.sum(-1, keepdim=True) + 1e-8)
        slots = slots + w @ v(x)
    rec = att.transpose(1, 2) @ dec(slots)
    loss = (rec - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
