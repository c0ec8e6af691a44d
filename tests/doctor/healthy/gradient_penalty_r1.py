import torch
from torch import nn

torch.manual_seed(0)
d = nn.Sequential(nn.Linear(3, 16), nn.Softplus(), nn.Linear(16, 1))
opt = torch.optim.Adam(d.parameters(), lr=1e-2)
for _ in range(20):
    real = torch.randn(32, 3, requires_grad=True)
    fake = torch.randn(32, 3) + 2
    out = d(real)
    (g,) = torch.autograd.grad(out.sum(), real, create_graph=True)
    loss = nn.functional.softplus(-out).mean() + nn.functional.softplus(d(fake)).mean()
    loss = loss + 5 * g.pow(2).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
