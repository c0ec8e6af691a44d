import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16, bias=False), nn.LeakyReLU(0.1), nn.Linear(16, 4, bias=False))
x = torch.randn(200, 8) * torch.linspace(0.1, 1, 8)
with torch.no_grad():
    c = net(x).mean(0); c[c.abs() < 0.1] = 0.1
opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-6)
for ep in range(8):
    for b in torch.randperm(200).split(40):
        loss = ((net(x[b]) - c) ** 2).sum(1).mean()
        opt.zero_grad(); loss.backward(); opt.step()
scores = ((net(x) - c) ** 2).sum(1).detach()
