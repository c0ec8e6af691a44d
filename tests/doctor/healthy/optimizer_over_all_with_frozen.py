import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 2))
for p in net[0].parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(30):
    x = torch.randn(40, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
