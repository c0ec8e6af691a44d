import torch
from torch import nn
from dataclasses import dataclass


@dataclass
class Config:
    users: int = 40
    items: int = 50
    dim: int = 8
    lr: float = 0.05


class Recommender(nn.Module):
    def __init__(self, cfg, item_table):
        super().__init__()
        self.user = nn.Embedding(cfg.users, cfg.dim)
        self.item = {"table": item_table}  #-!
        self.item = nn.ModuleDict({"table": item_table})  #+

    def forward(self, u, i):
        return (self.user(u) * self.item["table"](i)).sum(-1)


torch.manual_seed(0)
cfg = Config()
items = nn.Embedding(cfg.items, cfg.dim)
net = Recommender(cfg, items)
opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)  #!
u, i = torch.randint(0, 40, (400,)), torch.randint(0, 50, (400,))
truth = torch.randn(40, 2)[u].mul(torch.randn(50, 2)[i]).sum(1)
for epoch in range(25):
    loss = nn.functional.mse_loss(net(u, i), truth)
    opt.zero_grad()
    loss.backward()
    opt.step()
