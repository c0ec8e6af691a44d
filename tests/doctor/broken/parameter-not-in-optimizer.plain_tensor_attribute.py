import torch
from torch import nn

torch.manual_seed(0)


class ScaledLinear(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.scale = torch.ones(n, requires_grad=True)  #-!
        self.scale = nn.Parameter(torch.ones(n))  #+

    def forward(self, x):
        return self.lin(x) * self.scale


net = nn.Sequential(ScaledLinear(6), nn.ReLU(), ScaledLinear(6))
opt = torch.optim.SGD(net.parameters(), lr=0.05)  #!
for i in range(12):
    x = torch.randn(30, 6)
    loss = nn.functional.mse_loss(net(x), x.roll(1, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()
