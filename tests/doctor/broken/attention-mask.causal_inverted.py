import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, v=20, d=16):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.att = nn.MultiheadAttention(d, 2, batch_first=True)
        self.out = nn.Linear(d, v)

    def forward(self, x):
        n = x.shape[1]
        mask = torch.tril(torch.ones(n, n, dtype=torch.bool))  #-!
        mask = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)  #+
        h = self.emb(x)
        a, _ = self.att(h, h, h, attn_mask=mask)  #!
        return self.out(h + a)


torch.manual_seed(0)
m = LM()
opt = torch.optim.Adam(m.parameters(), 1e-3)
for _ in range(10):
    t = torch.randint(0, 20, (4, 9))
    loss = nn.functional.cross_entropy(m(t[:, :-1]).flatten(0, 1), t[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
