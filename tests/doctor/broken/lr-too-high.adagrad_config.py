from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Config:
    lr: float = 8.0  #-!
    lr: float = 0.02  #+
    steps: int = 50
    width: int = 48


def main(cfg: Config) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, cfg.width), nn.ReLU(), nn.Linear(cfg.width, cfg.width), nn.ReLU(), nn.Linear(cfg.width, 4))
    optimizer = torch.optim.AdamW(net.parameters(), lr=cfg.lr)  #!
    for _ in range(cfg.steps):
        x = torch.randn(64, 10)
        loss = nn.functional.cross_entropy(net(x), (x[:, :4] * x[:, 4:8]).argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main(Config())
