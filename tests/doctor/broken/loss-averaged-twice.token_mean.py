import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(40):
    x = torch.randn(25, 5)
    err = (net(x) - x[:, :1]) ** 2
    loss = err.mean() / x.shape[0]  #-!
    loss = err.sum() / x.shape[0]  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
