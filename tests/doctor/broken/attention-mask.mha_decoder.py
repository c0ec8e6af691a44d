import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, V=12, d=16, T=10):
        super().__init__()
        self.e, self.p = nn.Embedding(V, d), nn.Parameter(torch.zeros(T, d))
        self.att = nn.MultiheadAttention(d, 2, batch_first=True)
        self.o = nn.Linear(d, V)
        self.register_buffer("causal", torch.triu(torch.ones(T, T, dtype=torch.bool), 1))

    def forward(self, x):
        h = self.e(x) + self.p
        y, _ = self.att(h, h, h, need_weights=False)  #-!
        y, _ = self.att(h, h, h, attn_mask=self.causal, need_weights=False)  #+
        return self.o(h + y)


torch.manual_seed(0)
m = Decoder()
opt = torch.optim.Adam(m.parameters(), lr=5e-3)
for _ in range(40):
    s = torch.cumsum(torch.randint(1, 3, (16, 11)), 1) % 12
    loss = nn.functional.cross_entropy(m(s[:, :-1]).transpose(1, 2), s[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
