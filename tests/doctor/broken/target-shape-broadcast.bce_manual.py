import torch
from torch import nn

torch.manual_seed(0)


def bce(p, y):
    return -(y * torch.log(p + 1e-7) + (1 - y) * torch.log(1 - p + 1e-7)).mean()  #!


net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(70, 4)
y = (x[:, 0] > x[:, 1]).float()
y = y.unsqueeze(1)  #+
for _ in range(40):
    loss = bce(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
