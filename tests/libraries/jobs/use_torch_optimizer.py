"""Twelve optimizers of the collection each fit a network for four steps."""

import json

import torch
import torch_optimizer
from torch import nn

NAMES = (
    "AdaBelief", "AdaBound", "AdaMod", "AggMo", "DiffGrad", "Lamb", "NovoGrad", "PID", "QHAdam",
    "RAdam", "SGDW", "Yogi",
)  # fmt: skip
x = torch.randn(32, 6, generator=torch.manual_seed(0))
printed = {}
for name in NAMES:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = getattr(torch_optimizer, name)(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(4):
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    printed[name] = losses
print(json.dumps(printed))
