import torch
from torch import nn

# the generator's backward also fills D's gradients; they are cleared before D's own
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
og = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
od = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCELoss()
for i in range(25):
    valid, fake = torch.full((16, 1), 0.9), torch.zeros(16, 1)
    real = torch.randn(16, 2) * 0.2 + 1
    og.zero_grad()
    gen = G(torch.randn(16, 2))
    g_loss = bce(D(gen), valid)
    g_loss.backward()
    og.step()
    od.zero_grad()
    d_loss = 0.5 * (bce(D(real), valid) + bce(D(gen.detach()), fake))
    d_loss.backward()
    od.step()
