import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(12):
    x = torch.randn(24, 3)
    y = (x[:, 0] > 0).long()
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.step()  #-!
    loss.backward()
    opt.step()  #+
