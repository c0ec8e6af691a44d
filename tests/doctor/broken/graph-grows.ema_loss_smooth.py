import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 10), nn.ELU(), nn.Linear(10, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.randn(100, 6)
y = x[:, :1] * 2 - x[:, 1:2]
smooth = torch.zeros(())
for step in range(25):
    err = (net(x) - y).pow(2).mean()
    smooth = 0.9 * smooth + 0.1 * err  #-!
    smooth = 0.9 * smooth.detach() + 0.1 * err  #+
    opt.zero_grad()
    smooth.backward(retain_graph=True)  #-
    smooth.backward()  #+
    opt.step()
