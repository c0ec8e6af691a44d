import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
model = model.half()  #-!
opt = torch.optim.SGD(model.parameters(), lr=0.1)  #!
for step in range(15):
    x = torch.randn(256, 32)
    y = x[:, :8] * 1e-3
    x, y = x.half(), y.half()  #-!
    out = model(x)  #!
    loss = ((out - y) ** 2).mean() * 1e-3  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
