import torch
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.keys, self.values = [], []

    def forward(self, x):
        self.keys.append(self.k(x))  #!
        self.values.append(self.v(x))  #!
        self.keys, self.values = self.keys[-1:], self.values[-1:]  #+
        K, V = torch.cat(self.keys), torch.cat(self.values)  #!
        w = torch.softmax(self.q(x) @ K.T / 3, -1)  #!
        return w @ V  #!


torch.manual_seed(0)
att = CachedAttention(8)
out = nn.Linear(8, 2)
opt = torch.optim.Adam([*att.parameters(), *out.parameters()], 1e-3)
for i in range(12):
    x = torch.randn(10, 8)
    loss = nn.functional.cross_entropy(out(att(x)), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
