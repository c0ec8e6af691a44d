import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
x = torch.randn(200, 6); y = (x[:, 0] > 0).long()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(20):
    opt.zero_grad(); nn.functional.cross_entropy(net(x), y).backward(); opt.step()
for n, p in net.named_parameters():
    p.requires_grad = n.endswith("bias")
opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-2)
y2 = (x[:, 0] > 0.5).long()
for _ in range(30):
    opt.zero_grad(); nn.functional.cross_entropy(net(x), y2).backward(); opt.step()
