#= prep.py
import torch


def standardise(x):
    return (x - x.mean(0)) / x.std(0)  #-!
    return (x - x.mean(0)) / (x.std(0) + 1e-6)  #+
#= main
import torch
from torch import nn
from prep import standardise

torch.manual_seed(0)
raw = torch.randn(100, 5)
raw[:, 2] = 7.0
y = raw[:, :1] * 2
x = standardise(raw)
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
