import torch
from torch import nn


class Cosine(nn.Module):
    def forward(self, a, b):
        a = a / a.norm(dim=1, keepdim=True)  #-!
        a = a / a.norm(dim=1, keepdim=True).clamp_min(1e-6)  #+
        b = b / b.norm(dim=1, keepdim=True).clamp_min(1e-6)
        return 1 - (a * b).sum(1).mean()


torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(4, 8, bias=False), nn.ReLU(), nn.Linear(8, 3, bias=False))
opt = torch.optim.Adam(enc.parameters(), lr=1e-3)
crit = Cosine()
data = torch.randn(100, 4)
data[37] = 0
for i in range(0, 100, 10):
    x = data[i : i + 10]
    loss = crit(enc(x), x[:, :3])
    opt.zero_grad()
    loss.backward()
    opt.step()
