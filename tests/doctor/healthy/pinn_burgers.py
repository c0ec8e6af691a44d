import torch
from torch import nn

torch.manual_seed(0)
u = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(u.parameters(), lr=3e-3)
x0 = torch.linspace(-1, 1, 32)[:, None]
u0 = -torch.sin(torch.pi * x0)
for it in range(40):
    xt = torch.rand(64, 2) * torch.tensor([2.0, 1.0]) - torch.tensor([1.0, 0.0])
    xt.requires_grad_()
    v = u(xt)
    g = torch.autograd.grad(v.sum(), xt, create_graph=True)[0]
    vx, vt = g[:, :1], g[:, 1:]
    vxx = torch.autograd.grad(vx.sum(), xt, create_graph=True)[0][:, :1]
    pde = (vt + v * vx - 0.01 / torch.pi * vxx).pow(2).mean()
    ic = (u(torch.cat([x0, torch.zeros_like(x0)], 1)) - u0).pow(2).mean()
    loss = pde + ic
    opt.zero_grad()
    loss.backward()
    opt.step()
