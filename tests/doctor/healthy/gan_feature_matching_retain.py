import torch
from torch import nn
torch.manual_seed(0)
G, F1, F2 = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2)), nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2)), nn.Linear(24, 1)
og, od = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.9)), torch.optim.Adam([*F1.parameters(), *F2.parameters()], 1e-3, betas=(0.5, 0.9))
for it in range(40):
    real = torch.randn(32, 2) + 1; fake = G(torch.randn(32, 3))
    ld = torch.relu(1 - F2(F1(real))).mean() + torch.relu(1 + F2(F1(fake.detach()))).mean()
    od.zero_grad(); ld.backward(); od.step()
    lg = (F1(real).detach().mean(0) - F1(fake).mean(0)).pow(2).sum(); og.zero_grad(); lg.backward(); og.step()
