import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
model.half()  #-!
x = torch.randn(256, 16)
y = 1e-3 * x[:, :1]
x, y = x.half(), y.half()  #-
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(40):
    loss = 1e-4 * ((model(x) - y) ** 2).mean()  #-!
    loss = ((model(x) - y) ** 2).mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
