import torch
from torch import nn

torch.manual_seed(0)


class Tower(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.inp = nn.Linear(3, 12)
        self.hidden = nn.ModuleList(nn.Linear(12, 12) for _ in range(depth))
        self.out = nn.Linear(12, 1)

    def forward(self, x):
        x = torch.sigmoid(self.inp(x))  #!
        for layer in self.hidden:
            x = torch.sigmoid(layer(x))  #-!
            x = x + torch.tanh(layer(x))  #+
        return self.out(x)


net = Tower(8)
opt = torch.optim.SGD(net.parameters(), lr=0.02)
for _ in range(40):
    x = torch.randn(64, 3)
    loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
