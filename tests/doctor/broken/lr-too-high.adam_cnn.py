import torch
from torch import nn
from dataclasses import dataclass


@dataclass
class HParams:
    lr: float = 0.5  #-!
    lr: float = 0.003  #+
    batch: int = 16
    steps: int = 40


def train(hp):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 3))
    opt = torch.optim.Adam(net.parameters(), lr=hp.lr)  #!
    for _ in range(hp.steps):
        y = torch.randint(0, 3, (hp.batch,))
        x = torch.randn(hp.batch, 1, 8, 8)
        x[torch.arange(hp.batch), 0, y] += 1.0
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


train(HParams())
