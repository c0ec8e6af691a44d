import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
k = nn.Parameter(torch.tensor(0.5))
opt = torch.optim.Adam([*net.parameters(), k], lr=5e-3)
t = torch.linspace(0, 2, 40).view(-1, 1).requires_grad_()
data = torch.exp(-1.3 * t.detach())
for _ in range(60):
    u = net(t)
    du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    residual = du + k.item() * u  #-!
    residual = du + k * u  #+
    loss = (u - data).pow(2).mean() + residual.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
