import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(100, 4)
y = (x.sum(1, keepdim=True) > 0).float()
for epoch in range(20):
    p = torch.sigmoid(net(x))
    pred = (p > 0.5).float()  #-!
    loss = (pred - y).abs().mean().requires_grad_()  #-!
    loss = (p - y).abs().mean()  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
