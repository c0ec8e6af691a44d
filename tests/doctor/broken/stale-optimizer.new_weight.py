import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb = nn.Embedding(vocab, 8)
        self.out = nn.Linear(8, 3)

    def resize(self, vocab):
        old = self.emb.weight.data
        new = torch.randn(vocab, 8) * 0.1
        new[: len(old)] = old
        self.emb.weight = nn.Parameter(new)  #!

    def forward(self, ids):
        return self.out(self.emb(ids).sum(1))


torch.manual_seed(0)
model = Embedder(10)
model.resize(14)  #+
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #!
model.resize(14)  #-!
for _ in range(12):
    ids = torch.randint(0, 14, (16, 4))
    loss = nn.functional.cross_entropy(model(ids), ids[:, 0] % 3)
    opt.zero_grad()
    loss.backward()
    opt.step()
