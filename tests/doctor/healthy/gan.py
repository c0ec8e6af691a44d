import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
for step in range(30):
    real = torch.randn(32, 2) * 0.5 + 1
    fake = G(torch.randn(32, 4))
    D.zero_grad()
    loss_real = bce(D(real), torch.ones(32, 1))
    loss_real.backward()
    loss_fake = bce(D(fake.detach()), torch.zeros(32, 1))
    loss_fake.backward()
    opt_d.step()
    G.zero_grad()
    loss_g = bce(D(fake), torch.ones(32, 1))
    loss_g.backward()
    opt_g.step()
