import torch
from torch import nn


def train(lr):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
    opt = torch.optim.Adam(net.parameters(), lr=lr)  #!
    for _ in range(40):
        y = torch.randint(0, 3, (32,))
        x = torch.randn(32, 1, 6, 6) + y.view(-1, 1, 1, 1)
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


train(lr=1e-9)  #-!
train(lr=1e-2)  #+
