import torch
from torch import nn, autograd

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
C = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
og = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.0, 0.9))
oc = torch.optim.Adam(C.parameters(), 1e-3, betas=(0.0, 0.9))
for it in range(20):
    for _ in range(3):
        real = torch.randn(32, 2) * 0.5 + 1
        fake = G(torch.randn(32, 4)).detach()
        eps = torch.rand(32, 1)
        mid = (eps * real + (1 - eps) * fake).requires_grad_(True)
        g = autograd.grad(C(mid).sum(), mid, create_graph=True)[0]
        gp = ((g.norm(2, dim=1) - 1) ** 2).mean()
        loss = C(fake).mean() - C(real).mean() + 10 * gp
        oc.zero_grad()
        loss.backward()
        oc.step()
    og.zero_grad()
    (-C(G(torch.randn(32, 4))).mean()).backward()
    og.step()
