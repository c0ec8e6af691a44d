#= util.py
import torch


def freeze(model):
    for p in model.parameters():
        p.requires_grad = False  #!
    return model
#= main
import torch
from torch import nn
from util import freeze

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
head = nn.Linear(16, 3)
model = nn.Sequential(backbone, head)
freeze(model)  #-!
freeze(backbone)  #+
opt = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for _ in range(10):
    loss = criterion(model(torch.randn(12, 8)), torch.randint(0, 3, (12,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
