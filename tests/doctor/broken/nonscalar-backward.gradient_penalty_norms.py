import torch
from torch import nn

torch.manual_seed(0)
f = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(f.parameters(), lr=1e-3)
for _ in range(8):
    x = torch.randn(20, 2, requires_grad=True)
    out = f(x)
    (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    penalty = (g.norm(dim=1) - 1) ** 2  #-!
    penalty = ((g.norm(dim=1) - 1) ** 2).mean()  #+
    loss = out.mean() + 10 * penalty  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
