import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, v=20, d=16):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.q, self.k, self.v = (nn.Linear(d, d) for _ in range(3))
        self.out = nn.Linear(d, 2)

    def forward(self, ids):
        x = self.emb(ids)
        scores = self.q(x) @ self.k(x).transpose(1, 2) / 4
        pad = ids == 0
        scores = scores.masked_fill(~pad[:, None, :], -1e9)  #-!
        scores = scores.masked_fill(pad[:, None, :], -1e9)  #+
        h = torch.softmax(scores, -1) @ self.v(x)
        return self.out(h[:, 0])


torch.manual_seed(0)
m = Encoder()
opt = torch.optim.Adam(m.parameters(), 3e-3)
for _ in range(40):
    ids = torch.randint(1, 20, (16, 8))
    ids[:, 5:] = 0
    y = (ids[:, :5].float().mean(1) > 10).long()
    loss = nn.functional.cross_entropy(m(ids), y)
    opt.zero_grad(); loss.backward(); opt.step()
