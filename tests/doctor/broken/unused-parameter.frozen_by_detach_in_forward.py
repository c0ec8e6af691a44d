from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Cfg:
    dim: int = 12
    stop_gradient: bool = True


class Detector(nn.Module):
    def __init__(self, cfg: Cfg):
        super().__init__()
        self.cfg = cfg
        self.stem = nn.Sequential(nn.Linear(5, cfg.dim), nn.ReLU(), nn.Linear(cfg.dim, cfg.dim))
        self.box, self.cls = nn.Linear(cfg.dim, 2), nn.Linear(cfg.dim, 3)

    def forward(self, x):
        f = self.stem(x)
        f = f.detach()  #-!
        return self.box(f), self.cls(f)


torch.manual_seed(0)
net = Detector(Cfg())
opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
for _ in range(40):
    x = torch.randn(40, 5)
    box, cls = net(x)
    loss = nn.functional.smooth_l1_loss(box, x[:, :2]) + nn.functional.cross_entropy(cls, x[:, 2:].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
