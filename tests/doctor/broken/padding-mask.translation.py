import torch
from torch import nn

torch.manual_seed(0)
PAD, BOS, EOS, V = 0, 1, 2, 18


def make(n):
    rows = []
    for _ in range(n):
        k = int(torch.randint(2, 10, (1,)))
        w = torch.randint(3, V, (k,))
        rows.append(torch.cat([torch.tensor([BOS]), w, torch.tensor([EOS]), torch.zeros(11 - k, dtype=torch.long)]))
    return torch.stack(rows)


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.se, self.te = nn.Embedding(V, 16, padding_idx=PAD), nn.Embedding(V, 16, padding_idx=PAD)
        self.enc, self.dec, self.out = nn.GRU(16, 24, batch_first=True), nn.GRU(16, 24, batch_first=True), nn.Linear(24, V)

    def forward(self, src, tgt):
        _, h = self.enc(self.se(src))
        return self.out(self.dec(self.te(tgt), h)[0])


model = Seq2Seq()
crit = nn.CrossEntropyLoss()  #-!
crit = nn.CrossEntropyLoss(ignore_index=PAD)  #+
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(25):
    src = make(16)
    logits = model(src, src[:, :-1])
    loss = crit(logits.reshape(-1, V), src[:, 1:].reshape(-1))  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
