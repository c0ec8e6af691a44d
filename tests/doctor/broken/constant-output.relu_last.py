import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)  #-
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #+
x = torch.randn(200, 4)
y = x.sum(1, keepdim=True)
for _ in range(60):
    feats = x - x  #-!
    feats = x  #+
    loss = nn.functional.mse_loss(net(feats), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
