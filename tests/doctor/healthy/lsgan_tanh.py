import torch, torch.nn as nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.Tanh())
D = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
og, od = torch.optim.Adam(G.parameters(), 2e-4), torch.optim.Adam(D.parameters(), 2e-4)
for i in range(60):
    real = torch.rand(32, 16) * 2 - 1
    fake = G(torch.randn(32, 8))
    d = 0.5 * ((D(real) - 1) ** 2).mean() + 0.5 * (D(fake.detach()) ** 2).mean()
    od.zero_grad(); d.backward(); od.step()
    g = 0.5 * ((D(fake) - 1) ** 2).mean()
    og.zero_grad(); g.backward(); og.step()
