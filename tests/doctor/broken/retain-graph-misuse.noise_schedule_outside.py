import torch
from torch import nn

torch.manual_seed(0)
scale = nn.Parameter(torch.ones(8))
net = nn.Linear(8, 1)
opt = torch.optim.Adam([scale, *net.parameters()], lr=1e-3)
x = torch.randn(64, 8)
scaled = x * scale.exp()  #-!
for epoch in range(10):
    scaled = x * scale.exp()  #+
    loss = nn.functional.mse_loss(net(scaled), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
