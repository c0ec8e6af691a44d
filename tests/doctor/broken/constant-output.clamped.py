import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(40):
    x = torch.randn(32, 5)
    y = x[:, :1] * 2
    pred = net(x)
    pred = pred.clamp(min=10, max=20)  #-!
    pred = pred.clamp(min=-10, max=20)  #+
    loss = nn.functional.mse_loss(pred, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
