import math
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        w = torch.softmax(scores, dim=0)  #-!
        w = torch.softmax(scores, dim=-1)  #+
        return self.proj(w @ v)


torch.manual_seed(0)
att = SelfAttention(8)
head = nn.Linear(8, 2)
opt = torch.optim.Adam([*att.parameters(), *head.parameters()], lr=1e-3)
for _ in range(12):
    x = torch.randn(10, 6, 8)
    y = (x[:, 0, 0] > 0).long()
    loss = nn.functional.cross_entropy(head(att(x).mean(1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
