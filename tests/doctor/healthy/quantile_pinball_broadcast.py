import torch
from torch import nn

torch.manual_seed(0)
qs = torch.tensor([0.1, 0.5, 0.9])
net = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    x = torch.rand(64, 2)
    y = x.sum(1) + 0.2 * torch.randn(64)
    e = y[:, None] - net(x)
    loss = torch.maximum(qs * e, (qs - 1) * e).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
