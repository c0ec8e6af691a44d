import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.arange(8) % 2
net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(150):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
