import torch
from torch import nn

torch.manual_seed(0)
u = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(u.parameters(), lr=1e-3)
for it in range(5):
    x = torch.rand(50, 1, requires_grad=True)
    y = u(x)
    (dy,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    residual = dy + y
    bc = (u(torch.zeros(1, 1)) - 1) ** 2
    loss = residual ** 2 + bc  #-!
    loss = (residual ** 2).mean() + bc.mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
