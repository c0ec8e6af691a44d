import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.AdamW(net.parameters(), lr=3e-9)  #-!
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)  #+
for _ in range(50):
    x = torch.randn(64, 6)
    loss = (net(x) - x[:, :1] * 3).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
