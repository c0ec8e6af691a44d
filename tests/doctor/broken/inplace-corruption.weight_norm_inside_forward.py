import torch
from torch import nn


class Unit(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.w = nn.Parameter(torch.randn(m, n))

    def forward(self, x):
        y = x @ self.w.T
        with torch.no_grad():  #-
            self.w.div_(self.w.norm(dim=1, keepdim=True))  #-!
        return y


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), Unit(10, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(10):
    x = torch.randn(20, 5)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():  #+
        net[2].w.div_(net[2].w.norm(dim=1, keepdim=True))  #+
