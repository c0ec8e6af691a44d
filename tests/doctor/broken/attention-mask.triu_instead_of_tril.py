import math
import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, d, T):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.register_buffer("mask", torch.triu(torch.ones(T, T)))  #-!
        self.register_buffer("mask", torch.tril(torch.ones(T, T)))  #+

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        att = q @ k.transpose(-2, -1) / math.sqrt(C)
        att = att.masked_fill(self.mask[:T, :T] == 0, float("-inf"))  #!
        return F.softmax(att, -1) @ v  #!


torch.manual_seed(0)
V, T = 9, 10
emb, pos, head, out = nn.Embedding(V, 16), nn.Embedding(T, 16), Head(16, T), nn.Linear(16, V)
params = [p for m in (emb, pos, head, out) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=5e-3)
for _ in range(40):
    seq = torch.cumsum(torch.randint(1, 3, (16, T + 1)), 1) % V
    h = emb(seq[:, :-1]) + pos(torch.arange(T))
    loss = F.cross_entropy(out(h + head(h)).flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
