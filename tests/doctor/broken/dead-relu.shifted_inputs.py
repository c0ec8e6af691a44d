import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))  #!
with torch.no_grad():  #-
    model[0].weight.abs_()  #-!
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(40):
    x = -torch.rand(32, 6) - 2  #-!
    x = torch.rand(32, 6) - 0.5  #+
    y = (x[:, 0] > x[:, 1]).long()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
