import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
A, B = torch.randn(96, 4), torch.randn(96, 4) + 2
la, lb = DataLoader(A, 16, shuffle=True), DataLoader(B, 16, shuffle=True)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
D = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(4):
    for a, b in zip(la, lb):
        od.zero_grad()
        (bce(D(b), torch.ones(16, 1)) + bce(D(G(a).detach()), torch.zeros(16, 1))).backward()
        od.step()
        og.zero_grad()
        (bce(D(G(a)), torch.ones(16, 1)) + 0.1 * (G(a) - a).pow(2).mean()).backward()
        og.step()
