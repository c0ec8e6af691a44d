import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.ConvTranspose2d(8, 8, 4), nn.BatchNorm2d(8), nn.ReLU(True), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh())
D = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(8, 1, 4), nn.Sigmoid())
for m in [*G, *D]:
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)
criterion = nn.BCELoss()
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
for i in range(20):
    real = torch.rand(8, 1, 8, 8) * 2 - 1
    D.zero_grad()
    out = D(real).view(-1)
    err_real = criterion(out, torch.full((8,), 1.0))
    err_real.backward()
    fake = G(torch.randn(8, 8, 1, 1))
    err_fake = criterion(D(fake.detach()).view(-1), torch.zeros(8))
    err_fake.backward()
    opt_d.step()
    G.zero_grad()
    err_g = criterion(D(fake).view(-1), torch.ones(8))
    err_g.backward()
    opt_g.step()
