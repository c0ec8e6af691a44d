import torch, torch.nn as nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
C = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
og = torch.optim.Adam(G.parameters(), lr=1e-4, betas=(0.0, 0.9))
oc = torch.optim.Adam(C.parameters(), lr=1e-4, betas=(0.0, 0.9))
def gp(real, fake):
    eps = torch.rand(real.size(0), 1)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    out = C(mix)
    g = torch.autograd.grad(out, mix, grad_outputs=torch.ones_like(out), create_graph=True, retain_graph=True)[0]
    return ((g.norm(2, dim=1) - 1) ** 2).mean()
for i in range(20):
    for _ in range(3):
        real = torch.randn(32, 2) + 3
        fake = G(torch.randn(32, 8)).detach()
        oc.zero_grad()
        loss = C(fake).mean() - C(real).mean() + 10 * gp(real, fake)
        loss.backward()
        oc.step()
    og.zero_grad()
    lg = -C(G(torch.randn(32, 8))).mean()
    lg.backward()
    og.step()
