import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
total_loss = 0  #-
for epoch in range(12):
    total_loss = 0  #+
    x = torch.randn(20, 3)
    y = x.prod(1, keepdim=True)
    total_loss = total_loss + nn.functional.mse_loss(net(x), y)  #!
    opt.zero_grad()
    total_loss.backward(retain_graph=True)  #-!
    total_loss.backward()  #+
    opt.step()
