import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Sigmoid(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    x = torch.randn(32, 6)
    y = x[:, :1]
    h = model[1](model[0](x))
    pred = model[2](h)
    h.data[h.data < 0.5] = 0  #-!
    loss = (pred - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
