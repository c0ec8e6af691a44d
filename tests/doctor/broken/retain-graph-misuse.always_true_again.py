import torch
from torch import nn
from dataclasses import dataclass


@dataclass
class Config:
    lr: float = 1e-3
    epochs: int = 6
    hidden: int = 24


def train(cfg):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    x = torch.randn(96, 8)
    y = x[:, :4].argmax(1)
    for _ in range(cfg.epochs):
        for xb, yb in zip(x.chunk(6), y.chunk(6)):
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward(retain_graph=True)  #-!
            loss.backward()  #+
            optimizer.step()


train(Config())
