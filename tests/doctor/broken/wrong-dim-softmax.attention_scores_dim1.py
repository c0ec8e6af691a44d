import math
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(x.size(-1))
        return torch.softmax(scores, dim=0) @ self.v(x)  #-!
        return torch.softmax(scores, dim=-1) @ self.v(x)  #+


torch.manual_seed(0)
att, fc = SelfAttention(8), nn.Linear(8, 2)
opt = torch.optim.Adam([*att.parameters(), *fc.parameters()], lr=3e-3)
for _ in range(30):
    x = torch.randn(12, 5, 8)
    y = (x[:, :, 0].max(1).values > 1).long()
    loss = nn.functional.cross_entropy(fc(att(x).mean(1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
