import torch
import torch.nn as nn


class Emb(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.table = nn.Parameter(torch.randn(n, d) * 0.1)
        self.out = nn.Linear(d, 4)

    def grow(self, extra):
        self.table = nn.Parameter(torch.cat([self.table.data, torch.zeros(extra, self.table.size(1))]))  #!

    def forward(self, i):
        return self.out(self.table[i])


torch.manual_seed(0)
m = Emb(10, 6)
m.grow(5)  #+
opt = torch.optim.Adam(m.parameters(), lr=1e-2)  #!
m.grow(5)  #-!
for s in range(30):
    i = torch.randint(0, 15, (32,))
    loss = nn.functional.cross_entropy(m(i), i % 4)
    opt.zero_grad()
    loss.backward()
    opt.step()
