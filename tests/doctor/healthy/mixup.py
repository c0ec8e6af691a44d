import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(64, 6)
y = x[:, :3].argmax(1)
for _ in range(25):
    lam = float(torch.distributions.Beta(0.4, 0.4).sample())
    order = torch.randperm(64)
    mixed = lam * x + (1 - lam) * x[order]
    out = net(mixed)
    ce = nn.functional.cross_entropy
    loss = lam * ce(out, y) + (1 - lam) * ce(out, y[order])
    opt.zero_grad()
    loss.backward()
    opt.step()
