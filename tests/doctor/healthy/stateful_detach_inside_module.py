import torch
from torch import nn


class Stateful(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 8, batch_first=True)
        self.out = nn.Linear(8, 1)
        self.h = None

    def forward(self, x):
        y, h = self.rnn(x, self.h)
        self.h = h.detach()
        return self.out(y)


torch.manual_seed(0)
m = Stateful()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for _ in range(25):
    x = torch.randn(8, 5, 2)
    loss = (m(x) - x.sum(-1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
