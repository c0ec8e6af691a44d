import torch
from torch import nn

torch.manual_seed(0)


class LM(nn.Module):
    def __init__(self, v=15, d=16):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(d, v, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


lm = LM()
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)
corpus = (torch.arange(300) * 3) % 15
for i in range(0, 240, 12):
    seq = corpus[i : i + 13][None]
    loss = nn.functional.cross_entropy(lm(seq[:, :-1])[0], seq[0, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
