import torch
import torch.nn as nn

torch.manual_seed(0)


def build(width):
    return nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))


model = build(4)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #-
model = build(16)  #!
opt = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
for _ in range(12):
    x = torch.randn(20, 3)
    loss = (model(x) - x.prod(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
