import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-9)  #-!
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #+
t = torch.linspace(0, 2, 40)[:, None].requires_grad_()
for i in range(50):
    u = net(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    loss = (du + u).pow(2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
