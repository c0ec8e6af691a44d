import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
og = torch.optim.Adam(G.parameters(), 2e-4)
od = torch.optim.Adam(D.parameters(), 2e-4)
bce = nn.BCEWithLogitsLoss()
G_losses = []
D_losses = []
for it in range(25):
    real = torch.randn(16, 2) + 3
    fake = G(torch.randn(16, 4))
    d_loss = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    od.zero_grad()
    d_loss.backward()
    od.step()
    g_loss = bce(D(fake), torch.ones(16, 1))
    og.zero_grad()
    g_loss.backward()
    og.step()
    G_losses.append(g_loss)  #-!
    D_losses.append(d_loss)  #-!
    G_losses.append(g_loss.item())  #+
    D_losses.append(d_loss.item())  #+
