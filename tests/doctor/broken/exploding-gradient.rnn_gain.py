import torch
from torch import nn

torch.manual_seed(0)


class LinearRNN(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.inp = nn.Linear(d, h)
        self.rec = nn.Linear(h, h, bias=False)
        nn.init.orthogonal_(self.rec.weight, gain=1.8)  #-!
        nn.init.orthogonal_(self.rec.weight, gain=0.9)  #+
        self.out = nn.Linear(h, 1)

    def forward(self, x):
        h = torch.zeros(x.size(0), self.h)
        for t in range(x.size(1)):
            h = self.inp(x[:, t]) + self.rec(h)  #!
        return self.out(h)


model = LinearRNN(2, 8)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
for _ in range(20):
    x = torch.randn(16, 30, 2)
    loss = nn.functional.mse_loss(model(x), x.sum((1, 2))[:, None])
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
