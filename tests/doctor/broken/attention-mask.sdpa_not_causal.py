import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.qkv, self.proj = heads, nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.h, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v)  #-!
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)  #+
        return x + self.proj(y.transpose(1, 2).reshape(B, T, C))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos, self.block, self.head = nn.Embedding(13, 16), nn.Embedding(10, 16), Block(16, 2), nn.Linear(16, 13)

    def forward(self, x):
        return self.head(self.block(self.tok(x) + self.pos(torch.arange(x.size(1)))))


torch.manual_seed(0)
gpt = GPT()
opt = torch.optim.AdamW(gpt.parameters(), lr=3e-3)
for _ in range(40):
    s = torch.cumsum(torch.randint(1, 3, (16, 11)), 1) % 13
    loss = F.cross_entropy(gpt(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
