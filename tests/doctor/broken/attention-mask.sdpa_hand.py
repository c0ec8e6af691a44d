import math
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.register_buffer("tril", torch.tril(torch.ones(32, 32)))

    def forward(self, x):
        T = x.shape[1]
        wei = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(16)
        wei = wei.masked_fill(self.tril[:T, :T] == 1, float("-inf"))  #-!
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))  #+
        wei = torch.softmax(wei, -1)
        wei = torch.nan_to_num(wei)
        return wei @ self.v(x)


torch.manual_seed(0)
emb, head, out = nn.Embedding(20, 16), Head(), nn.Linear(16, 20)
opt = torch.optim.Adam([*emb.parameters(), *head.parameters(), *out.parameters()], 1e-3)
for _ in range(12):
    t = torch.randint(0, 20, (4, 9))
    logits = out(head(emb(t[:, :-1])))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), t[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
