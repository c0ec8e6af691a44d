import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(x.size(-1))
        attn = scores.softmax(dim=0)  #-!
        attn = scores.softmax(dim=-1)  #+
        return attn @ self.v(x)


torch.manual_seed(0)
att, head = SelfAttention(8), nn.Linear(8, 1)
opt = torch.optim.Adam([*att.parameters(), *head.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.randn(10, 6, 8)
    loss = nn.functional.mse_loss(head(att(x)).mean(1), x[:, 0, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
