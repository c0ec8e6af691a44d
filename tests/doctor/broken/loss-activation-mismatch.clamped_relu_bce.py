import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
last = nn.ReLU()  #-
last = nn.Sigmoid()  #+
opt = torch.optim.Adam(net.parameters(), 1e-3)
for i in range(25):
    x = torch.randn(64, 5)
    y = (x[:, :1] > 0).float()
    p = last(net(x)).clamp(max=1.0)  #!
    loss = nn.functional.binary_cross_entropy(p, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
