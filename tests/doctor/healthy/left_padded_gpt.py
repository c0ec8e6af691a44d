import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
PAD = 0


class GPT(nn.Module):
    def __init__(self, v=25, d=16):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.qkv = nn.Linear(d, 3 * d)
        self.head = nn.Linear(d, v)

    def forward(self, x):
        n = x.shape[1]
        h = self.emb(x)
        q, k, v = self.qkv(h).chunk(3, -1)
        allowed = torch.tril(torch.ones(n, n, dtype=torch.bool)) & (x != PAD)[:, None, :]
        allowed = allowed | torch.eye(n, dtype=torch.bool)
        return self.head(h + F.scaled_dot_product_attention(q, k, v, attn_mask=allowed))


net = GPT()
opt = torch.optim.AdamW(net.parameters(), 1e-3)
for _ in range(15):
    t = torch.randint(1, 25, (6, 11))
    for r, n in enumerate(torch.randint(0, 5, (6,)).tolist()):
        t[r, :n] = PAD
    logits = net(t[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), t[:, 1:].flatten(), ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    opt.step()
