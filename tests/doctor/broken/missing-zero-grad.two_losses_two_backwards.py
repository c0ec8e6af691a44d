import torch
from torch import nn

torch.manual_seed(0)
enc = nn.Linear(6, 12)
rec, cls = nn.Linear(12, 6), nn.Linear(12, 2)
opt = torch.optim.Adam([*enc.parameters(), *rec.parameters(), *cls.parameters()], lr=1e-3)
for i in range(20):
    x = torch.randn(32, 6)
    opt.zero_grad()  #+
    h = torch.relu(enc(x))
    nn.functional.mse_loss(rec(h), x).backward(retain_graph=True)  #!
    nn.functional.cross_entropy(cls(h), (x[:, 0] > 0).long()).backward()  #!
    opt.step()  #!
