import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, dim, length):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.randn(1, length, dim) * 0.02)  #!
        self.block = nn.TransformerEncoderLayer(dim, 2, 2 * dim, 0.0, batch_first=True)
        self.cls = nn.Linear(dim, 2)

    def forward(self, x):
        h = self.tok(x)  #-
        h = self.tok(x) + self.pos  #+
        return self.cls(self.block(h).mean(1))


torch.manual_seed(0)
enc = Encoder(16, 16, 8)
opt = torch.optim.Adam(enc.parameters(), lr=2e-3)
for _ in range(30):
    x = torch.randint(0, 16, (24, 8))
    loss = nn.functional.cross_entropy(enc(x), (x.sum(1) > 60).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
