import torch
import torch.nn as nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(16, 1))
og = torch.optim.Adam(G.parameters(), 1e-3); od = torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for i in range(40):
    real = torch.randn(32, 2) + 2
    fake = G(torch.randn(32, 4))
    od.zero_grad()
    ld = bce(D(real), torch.ones(32, 1)) + bce(D(fake.detach()), torch.zeros(32, 1))
    ld.backward(); od.step()
    og.zero_grad()
    lg = bce(D(fake), torch.ones(32, 1))
    lg.backward(); og.step()
    if i % 10 == 0:
        G.eval()  #!
        with torch.no_grad(): sample = G(torch.randn(8, 4))
        G.train()  #+
