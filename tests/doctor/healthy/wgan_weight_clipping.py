import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
C = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
og = torch.optim.RMSprop(G.parameters(), lr=5e-4)
oc = torch.optim.RMSprop(C.parameters(), lr=5e-4)
for step in range(20):
    for _ in range(5):
        real = torch.randn(32, 2) * 0.3 + torch.tensor([2.0, -1.0])
        fake = G(torch.randn(32, 4)).detach()
        loss_c = C(fake).mean() - C(real).mean()
        oc.zero_grad()
        loss_c.backward()
        oc.step()
        for p in C.parameters():
            p.data.clamp_(-0.05, 0.05)
    loss_g = -C(G(torch.randn(32, 4))).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
