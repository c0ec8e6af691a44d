import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, v=12, d=24):
        super().__init__()
        self.e, self.r, self.o = nn.Embedding(v, d), nn.GRU(d, d, batch_first=True), nn.Linear(d, v)

    def forward(self, ids, labels):
        logits = self.o(self.r(self.e(ids))[0])
        return nn.functional.cross_entropy(logits[:, :-1].reshape(-1, 12), labels[:, 1:].reshape(-1))  #!


torch.manual_seed(0)
m = LM()
opt = torch.optim.Adam(m.parameters(), 5e-3)
for _ in range(30):
    seq = (torch.randint(0, 12, (8, 1)) * torch.arange(1, 11)) % 12
    seq = torch.randint(0, 12, (8, 10))
    loss = m(seq[:, :-1], seq[:, 1:])  #-!
    loss = m(seq, seq)  #+
    opt.zero_grad(); loss.backward(); opt.step()
