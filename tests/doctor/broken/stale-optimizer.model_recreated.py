import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))


torch.manual_seed(0)
model = build()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #-!
model = build()  #-!
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
x = torch.randn(80, 5)
y = torch.sin(x).sum(1, keepdim=True)
for i in range(20):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
