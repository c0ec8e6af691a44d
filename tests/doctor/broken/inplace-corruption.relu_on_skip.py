import torch
from torch import nn


class Res(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)
        self.act = nn.Sigmoid()

    def forward(self, x):
        y = self.act(self.conv(x))
        z = y * y
        y.add_(x)  #-!
        y = y + x  #+
        return z + y


torch.manual_seed(0)
net = nn.Sequential(Res(2), Res(2), nn.Flatten(), nn.Linear(2 * 36, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(10):
    x = torch.randn(8, 2, 6, 6)
    loss = (net(x) - x.mean((1, 2, 3)).view(-1, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
