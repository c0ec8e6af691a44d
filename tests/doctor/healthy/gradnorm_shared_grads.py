import torch
from torch import nn

torch.manual_seed(0)
shared = nn.Linear(5, 16)
h1, h2 = nn.Linear(16, 1), nn.Linear(16, 1)
w = torch.ones(2, requires_grad=True)
opt = torch.optim.Adam([*shared.parameters(), *h1.parameters(), *h2.parameters()], lr=5e-3)
wopt = torch.optim.Adam([w], lr=1e-2)
for _ in range(20):
    x = torch.randn(32, 5)
    z = torch.relu(shared(x))
    losses = torch.stack([(h1(z) - x[:, :1]).pow(2).mean(), (h2(z) - 10 * x[:, 1:2]).pow(2).mean()])
    opt.zero_grad()
    (w.detach() * losses).sum().backward(retain_graph=True)
    norms = torch.stack([torch.autograd.grad(w[i] * losses[i], shared.weight, retain_graph=True, create_graph=True)[0].norm() for i in range(2)])
    wl = (norms - norms.mean().detach()).abs().sum()
    wopt.zero_grad()
    wl.backward()
    wopt.step()
    opt.step()
    with torch.no_grad():
        w.clamp_(min=0.05)
        w.mul_(2 / w.sum())
