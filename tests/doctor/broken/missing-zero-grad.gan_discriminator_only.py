import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optG = torch.optim.Adam(G.parameters(), lr=2e-4)
optD = torch.optim.Adam(D.parameters(), lr=2e-4)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
for it in range(20):
    real = torch.randn(32, 2) * 0.5 + 2
    fake = G(torch.randn(32, 4))
    optD.zero_grad()  #+
    lossD = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    lossD.backward()  #!
    optD.step()  #!

    optG.zero_grad()
    lossG = bce(D(fake), ones)
    lossG.backward()
    optG.step()
