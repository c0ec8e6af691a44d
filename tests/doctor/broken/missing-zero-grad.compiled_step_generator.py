import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2))
D = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
g_opt = torch.optim.Adam(G.parameters(), lr=5e-4, betas=(0.5, 0.999))
d_opt = torch.optim.Adam(D.parameters(), lr=5e-4, betas=(0.5, 0.999))
bce = nn.functional.binary_cross_entropy_with_logits


def d_step(real):
    with torch.no_grad():
        fake = G(torch.randn(len(real), 3))
    loss = bce(D(real), torch.ones(len(real), 1)) + bce(D(fake), torch.zeros(len(real), 1))
    loss.backward()  #!
    d_opt.step()  #!
    d_opt.zero_grad()  #+


def g_step(n):
    loss = bce(D(G(torch.randn(n, 3))), torch.ones(n, 1))
    g_opt.zero_grad()
    loss.backward()
    g_opt.step()
    D.zero_grad()  #+


for it in range(50):
    d_step(torch.randn(32, 2) * 0.5 + torch.tensor([1.0, -1.0]))
    g_step(32)
