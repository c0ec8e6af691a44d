import torch
from torch import nn

torch.manual_seed(0)
fc1, fc2 = nn.Linear(10, 32), nn.Linear(32, 1)
with torch.no_grad():
    pass
    fc1.weight.uniform_(0.05, 0.3)  #-!
opt = torch.optim.SGD([*fc1.parameters(), *fc2.parameters()], lr=0.01)
for s in range(40):
    x = -torch.rand(32, 10) - 1.0  #-
    x = torch.rand(32, 10)  #+
    y = x[:, :1] * 2
    h = torch.clamp(fc1(x), min=0)  #-!
    h = torch.relu(fc1(x))  #+
    loss = ((fc2(h) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
