import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb, self.out = nn.Embedding(vocab, 12), nn.Linear(12, vocab)

    def resize(self, vocab):
        old = self.emb
        self.emb = nn.Embedding(vocab, 12)  #!
        self.emb.weight.data[: old.num_embeddings] = old.weight.data
        self.out = nn.Linear(12, vocab)  #!

    def forward(self, x):
        return self.out(self.emb(x))


torch.manual_seed(0)
lm = LM(10)
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)  #-!
lm.resize(14)  #!
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)  #+
for _ in range(30):
    x = torch.randint(0, 14, (64,))
    loss = nn.functional.cross_entropy(lm(x), (x + 1) % 14)
    opt.zero_grad()
    loss.backward()
    opt.step()
