import torch
import torch.nn as nn
import torch.nn.functional as F


class Seq2Seq(nn.Module):
    def __init__(self, v=15, h=20):
        super().__init__()
        self.src = nn.Embedding(v, h)
        self.tgt = nn.Embedding(v, h)
        self.enc = nn.GRU(h, h, batch_first=True)
        self.dec = nn.GRU(h, h, batch_first=True)
        self.out = nn.Linear(h, v)

    def forward(self, s, t):
        _, h = self.enc(self.src(s))
        y, _ = self.dec(self.tgt(t), h.detach())  #-!
        y, _ = self.dec(self.tgt(t), h)  #+
        return self.out(y)


torch.manual_seed(0)
m = Seq2Seq()
opt = torch.optim.Adam(m.parameters(), lr=5e-3)
for it in range(20):
    s = torch.randint(1, 15, (16, 6))
    t = s.flip(1)
    inp = torch.cat([torch.zeros(16, 1, dtype=torch.long), t[:, :-1]], 1)
    loss = F.cross_entropy(m(s, inp).transpose(1, 2), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
