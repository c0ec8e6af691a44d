import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    loss = loss / len(x)  #-!
    opt.zero_grad()
    loss.backward()
    opt.step()
