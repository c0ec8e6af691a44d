import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, depth=9, width=24):
        super().__init__()
        self.inp = nn.Linear(8, width)
        self.mid = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.sigmoid(self.inp(x))
        for layer in self.mid:
            x = torch.sigmoid(layer(x))  #-!
            x = x + torch.tanh(layer(x)) * 0.3  #+
        return self.out(x)


torch.manual_seed(0)
net = Deep()
opt = torch.optim.SGD(net.parameters(), lr=0.02)
for _ in range(60):
    x = torch.randn(64, 8)
    loss = (net(x) - x[:, :1] * 2).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
