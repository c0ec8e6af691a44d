import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3)); opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(300, 6); y = x[:, :3].argmax(1)
for _ in range(30):
    opt.zero_grad(); nn.functional.cross_entropy(net(x), y).backward(); opt.step()
tent = torch.optim.SGD(net[1].parameters(), lr=1e-3, momentum=0.9)
net.requires_grad_(False); net[1].requires_grad_(True); net.train()
for _ in range(10):
    p = net(torch.randn(64, 6) + 0.5).softmax(1); ent = -(p * (p + 1e-8).log()).sum(1).mean()
    tent.zero_grad(); ent.backward(); tent.step()
