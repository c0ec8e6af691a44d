import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self, V=14, d=16):
        super().__init__()
        self.src, self.tgt, self.pos = nn.Embedding(V, d), nn.Embedding(V, d), nn.Parameter(torch.randn(12, d) * 0.1)
        self.layer, self.out = nn.TransformerDecoderLayer(d, 2, 32, 0.0, batch_first=True), nn.Linear(d, V)

    def forward(self, s, t):
        n = t.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(n)  #+
        h = self.layer(self.tgt(t) + self.pos[:n], self.src(s))  #-!
        h = self.layer(self.tgt(t) + self.pos[:n], self.src(s), tgt_mask=mask)  #+
        return self.out(h)


torch.manual_seed(0)
m = Translator()
opt = torch.optim.Adam(m.parameters(), lr=3e-3)
for _ in range(40):
    s = torch.randint(1, 14, (16, 8))
    t = torch.cat([torch.zeros(16, 1, dtype=torch.long), s.flip(1)], 1)
    loss = nn.functional.cross_entropy(m(s, t[:, :-1]).flatten(0, 1), t[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
