import torch
from torch import nn

torch.manual_seed(0)
u = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.Adam(u.parameters(), 2e-3)
for _ in range(40):
    xt = torch.rand(64, 2, requires_grad=True)
    v = u(xt)
    g = torch.autograd.grad(v, xt, torch.ones_like(v), create_graph=True)[0]
    gxx = torch.autograd.grad(g[:, 0].sum(), xt, create_graph=True)[0][:, :1]
    res = (g[:, 1:] - 0.1 * gxx).pow(2).mean()
    x0 = torch.rand(32, 1)
    ic = (u(torch.cat([x0, torch.zeros_like(x0)], 1)) - torch.sin(torch.pi * x0)).pow(2).mean()
    loss = res + 10 * ic
    opt.zero_grad()
    loss.backward()
    opt.step()
