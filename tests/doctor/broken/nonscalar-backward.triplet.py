import torch
from torch import nn


class TripletLoss(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, a, p, n):
        d = (a - p).pow(2).sum(1) - (a - n).pow(2).sum(1) + self.margin  #!
        return torch.relu(d)  #-!
        return torch.relu(d).mean()  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
crit = TripletLoss(0.5)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.randn(12, 8)
    loss = crit(net(x), net(x + 0.1), net(torch.randn(12, 8)))  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
