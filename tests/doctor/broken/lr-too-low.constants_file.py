#= settings.py
LR = 1e-8  #-!
LR = 1e-2  #+
EPOCHS = 50
#= main
import torch
from torch import nn
import settings

torch.manual_seed(0)
m = nn.Sequential(nn.Linear(5, 10), nn.Sigmoid(), nn.Linear(10, 1))
opt = torch.optim.Adam(m.parameters(), lr=settings.LR)  #!
x = torch.randn(100, 5)
y = 2 + x[:, :1]
for _ in range(settings.EPOCHS):
    loss = nn.functional.mse_loss(m(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
