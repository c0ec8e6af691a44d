import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
dis = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
g_opt = torch.optim.Adam(gen.parameters(), 1e-3)
d_opt = torch.optim.Adam(dis.parameters(), 1e-3)
criterion = nn.BCELoss()
for step in range(10):
    real = torch.randn(24, 2) + 3
    fake = gen(torch.randn(24, 3))
    d_loss = criterion(dis(real), torch.ones(24, 1)) + criterion(dis(fake), torch.zeros(24, 1))  #-!
    d_loss = criterion(dis(real), torch.ones(24, 1)) + criterion(dis(fake.detach()), torch.zeros(24, 1))  #+
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = criterion(dis(fake), torch.ones(24, 1))
    g_opt.zero_grad()
    g_loss.backward()  #!
    g_opt.step()
