import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
model = model.half()  #-!
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(64, 16)
y = x[:, :1] * 1e-3
x, y = x.half(), y.half()  #-
for i in range(30):
    out = model(x)
    loss = ((out - y) * 1e-3).pow(2).mean()  #-!
    loss = (out - y).pow(2).mean()  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
