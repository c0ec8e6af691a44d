import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
og = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
od = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
for it in range(20):
    real = torch.randn(32, 2) * 0.3 + 1.0
    fake = G(torch.randn(32, 4))
    od.zero_grad()
    d_loss = bce(D(real), ones) + bce(D(fake), zeros)  #-!
    d_loss = bce(D(real), ones) + bce(D(fake.detach()), zeros)  #+
    d_loss.backward()  #-!
    d_loss.backward()  #+
    od.step()
    og.zero_grad()
    g_loss = bce(D(fake), ones)
    g_loss.backward()  #-!
    g_loss.backward()  #+
    og.step()
