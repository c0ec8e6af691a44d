import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return x + F.scaled_dot_product_attention(q, k, v)  #-!
        return x + F.scaled_dot_product_attention(q, k, v, is_causal=True)  #+


torch.manual_seed(0)
emb, block, head = nn.Embedding(30, 16), Block(), nn.Linear(16, 30)
opt = torch.optim.AdamW([*emb.parameters(), *block.parameters(), *head.parameters()], 1e-3)
for _ in range(12):
    t = torch.randint(0, 30, (4, 11))
    logits = head(block(emb(t[:, :-1])))
    loss = F.cross_entropy(logits.reshape(-1, 30), t[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
