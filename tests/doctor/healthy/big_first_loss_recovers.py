import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for _ in range(60):
    x = torch.randn(64, 4)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True) * 3)
    opt.zero_grad()
    loss.backward()
    opt.step()
