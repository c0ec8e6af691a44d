import torch
import torch.nn as nn
torch.manual_seed(3)
G = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
for it in range(60):
    real = torch.randn(64, 2) * 0.5 + 2
    z = torch.randn(64, 4)
    fake = G(z)
    opt_d.zero_grad()  #+
    d_loss = bce(D(real), torch.ones(64, 1)) + bce(D(fake.detach()), torch.zeros(64, 1))
    d_loss.backward()  #!
    opt_d.step()  #!

    opt_g.zero_grad()
    g_loss = bce(D(fake), torch.ones(64, 1))
    for p in D.parameters(): p.requires_grad_(False)
    g_loss = bce(D(fake), torch.ones(64, 1))
    g_loss.backward()
    opt_g.step()
    for p in D.parameters(): p.requires_grad_(True)
