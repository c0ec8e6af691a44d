import torch
from torch import nn


def train(cfg):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    sched = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=40)
    for step in range(24):
        sched.step()  #-!
        x = torch.randn(16, 4)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sched.step()  #+


train({"lr": 1e-3})
