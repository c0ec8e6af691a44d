import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for _ in range(40):
    x = torch.randn(4, 4)
    loss = (net(x) - torch.randn(4, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
