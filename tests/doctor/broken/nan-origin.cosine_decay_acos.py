import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)
with torch.no_grad():
    net.weight.copy_(torch.eye(3))
    net.bias.zero_()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(15):
    v = nn.functional.normalize(torch.randn(20, 3), dim=1)
    w = nn.functional.normalize(net(v), dim=1)
    angle = torch.acos((v * w).sum(1))  #-!
    angle = torch.acos((v * w).sum(1).clamp(-0.9999, 0.9999))  #+
    loss = (angle - 0.3).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
