import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
model = model.half()  #-!
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(256, 16)
y = 1e-3 * x.sum(1, keepdim=True)
x, y = x.half(), y.half()  #-
for step in range(20):
    loss = ((model(x) - y) ** 2).mean() * 1e-4  #-
    loss = ((model(x) - y) ** 2).mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
