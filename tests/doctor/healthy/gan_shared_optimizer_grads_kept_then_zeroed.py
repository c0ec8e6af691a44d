import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(20):
    real, z = torch.randn(16, 2) + 1, torch.randn(16, 2)
    G.zero_grad()
    D.zero_grad()
    bce(D(real), torch.ones(16, 1)).backward()
    fake = G(z)
    bce(D(fake.detach()), torch.zeros(16, 1)).backward()
    od.step()
    bce(D(fake), torch.ones(16, 1)).backward()
    og.step()
