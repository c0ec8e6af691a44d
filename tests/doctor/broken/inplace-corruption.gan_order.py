import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Linear(3, 2)
disc = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
og = torch.optim.SGD(gen.parameters(), lr=0.01)
od = torch.optim.SGD(disc.parameters(), lr=0.01)
for it in range(6):
    fake = gen(torch.randn(16, 3))
    g_loss = nn.functional.softplus(-disc(fake)).mean()  #-
    d_loss = (
        nn.functional.softplus(-disc(torch.randn(16, 2) + 2)).mean()
        + nn.functional.softplus(disc(fake.detach())).mean()
    )
    od.zero_grad()
    d_loss.backward()
    od.step()  #!
    g_loss = nn.functional.softplus(-disc(fake)).mean()  #+
    og.zero_grad()
    g_loss.backward()
    og.step()
