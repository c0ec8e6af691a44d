import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.LazyConv2d(4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(3))
net(torch.randn(2, 1, 8, 8))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(12):
    x = torch.randn(8, 1, 8, 8)
    loss = nn.functional.cross_entropy(net(x), x.flatten(1)[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
